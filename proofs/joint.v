(** * Several targets: all right, any right (Frechet's bounds)

    Chapter: theory/attainable.md, statement joint-bounds.

    In words. Records have T >= 1 targets. An intruder picks a synthetic record
    with the key of a person at random and reads all targets off it. In a key,
    let c_k be the expected number of original records whose target k is then
    right, and o the number of original records.
    - The expected number with all targets right is at least 0 and at least the
      sum of the c_k minus (T - 1) o, and at most every c_k.
    - The expected number with at least one right is at least every c_k, and at
      most o and at most the sum of the c_k.
    - The same holds of the sums over the matched keys, with the matched records
      for o, so of average CAP with the matched share g; and the sum of the
      bounds of the keys is never wider than that.
    - In version 2, over the matched records, g is 1. So it is where each key
      looks up the synthetic records of the nearest keys, or of any set of keys
      that has some: this is version 1 of a release with a copy for each key.
    - All right for all targets together is average CAP of the joint target.
    - With two targets every value between the bounds occurs.
    - If the numbers right about two targets at once are known for three targets,
      all right has the bounds of frechet_pairs, and every value between occurs.
    - With any number of targets each bound is attained by weighted draws with any
      masses c_k <= g, and by tables: for all people and keys
      and all whole numbers of people of each matched key to be right about each
      target, a release with one record in each such key is right about them, with
      as few or as many right about all targets, or about any, as the bounds of the
      keys say; and so are the bounds of the averages, for any N of n people
      matched (all of them, where g is 1 in version 2 and with the nearest keys). *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields counts attainable neighbours.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Frechet.

Variables (R : realFieldType) (Q W : finType) (w : W -> R) (right : Q -> W -> bool).
Hypothesis w0 : forall x, 0 <= w x.
Add Field R_field : (field_laws R).

(** Weighted draws, in which each target is right or wrong. *)
Definition mass := \sum_x w x.
Definition mass_one k := \sum_x w x * (right k x)%:R.
Definition mass_all := \sum_x w x * [forall k, right k x]%:R.
Definition mass_any := \sum_x w x * [exists k, right k x]%:R.

Lemma count_right x : \sum_k (right k x)%:R = #|[set k | right k x]|%:R :> R.
Proof. by rewrite -natr_sum -big_mkcond /= sum1dep_card cardsE. Qed.

Theorem frechet_all_lower : (0 < #|Q|)%N ->
  Order.max 0 (\sum_k mass_one k - (#|Q|%:R - 1) * mass) <= mass_all.
Proof.
move=> Q0; rewrite le_maxl; apply/andP; split.
  by apply: sumr_ge0 => x _; rewrite mulr_ge0 ?ler0n.
rewrite /mass_one exchange_big /= /mass mulr_sumr -sumrB; apply: ler_sum => x _.
rewrite -mulr_sumr [_ * w x]mulrC -mulrBr ler_wpmul2l // count_right.
rewrite ler_subl_addr; case: (boolP [forall k, right k x]) => [_|].
  by rewrite addrC subrK ler_nat max_card.
rewrite negb_forall => /existsP[k nk].
rewrite add0r ler_subr_addr -[X in _ + X <= _]/(1%:R) -natrD ler_nat addn1.
rewrite -cardsT; apply: proper_card; rewrite properE subsetT /=.
by apply/subsetPn; exists k; rewrite !inE.
Qed.

Theorem frechet_all_upper k : mass_all <= mass_one k.
Proof.
apply: ler_sum => x _; rewrite ler_wpmul2l // ler_nat.
by case: (boolP [forall k', right k' x]) => // /forallP ->.
Qed.

Theorem frechet_any_lower k : mass_one k <= mass_any.
Proof.
apply: ler_sum => x _; rewrite ler_wpmul2l // ler_nat.
case: (boolP (right k x)) => // rk.
by have -> : [exists k', right k' x] by apply/existsP; exists k.
Qed.

Theorem frechet_any_upper :
  mass_any <= Order.min mass (\sum_k mass_one k).
Proof.
rewrite le_minr; apply/andP; split.
  by apply: ler_sum => x _; rewrite -[leRHS]mulr1 ler_wpmul2l // lern1 leq_b1.
rewrite /mass_one exchange_big /=; apply: ler_sum => x _.
rewrite -mulr_sumr ler_wpmul2l // count_right ler_nat.
case: existsP => // -[k rk]; rewrite card_gt0; apply/set0Pn.
by exists k; rewrite inE.
Qed.

End Frechet.

(** Two targets: every value between the bounds. *)
Section TwoTargets.

Variable R : realFieldType.
Add Field R_field : (field_laws R).

Theorem frechet_two_attained (c1 c2 g a : R) :
  Order.max 0 (c1 + c2 - g) <= a -> a <= Order.min c1 c2 ->
  exists w : bool * bool -> R,
    let right k (x : bool * bool) := if k then x.1 else x.2 in
    [/\ forall x, 0 <= w x, mass w = g, mass_one w right true = c1,
        mass_one w right false = c2
      & mass_all w right = a /\ mass_any w right = c1 + c2 - a].
Proof.
rewrite le_maxl le_minr => /andP[a0 low] /andP[up1 up2].
pose w (x : bool * bool) : R :=
  match x with
  | (true, true) => a
  | (true, false) => c1 - a
  | (false, true) => c2 - a
  | (false, false) => g - (c1 + c2 - a)
  end.
have sum4 (F : bool * bool -> R) : \sum_x F x
    = F (true, true) + F (true, false) + (F (false, true) + F (false, false)).
  rewrite (eq_bigr (fun r => F (r.1, r.2))) => [|[] //].
  by rewrite -(pair_bigA _ (fun a b => F (a, b))) /= !big_bool.
exists w => right.
have all2 x : [forall k, right k x] = x.1 && x.2.
  apply/forallP/andP => [h|[h1 h2] [] //].
  by split; [exact: (h true) | exact: (h false)].
have any2 x : [exists k, right k x] = x.1 || x.2.
  apply/existsP/orP => [[[] h]|[h|h]]; [by left | by right | |].
    by exists true.
  by exists false.
rewrite /mass /mass_one /mass_all /mass_any !sum4 !all2 !any2 /=.
split.
- case=> -[] [] /=; [exact: a0 | by rewrite subr_ge0 | by rewrite subr_ge0 |].
  by rewrite subr_ge0 ler_subl_addr -ler_subl_addl.
- by mc_ring R.
- by mc_ring R.
- by mc_ring R.
- by split; mc_ring R.
Qed.

End TwoTargets.

(** Three targets of which the masses of the pairs are known too: bounds of all right,
    and every value between them. *)
Section ThreeTargets.

Variable R : realFieldType.
Add Field R_field : (field_laws R).

Definition mass_of (W : finType) (w : W -> R) (right : pred W) := \sum_x w x * (right x)%:R.

Theorem frechet_pairs (W : finType) (w : W -> R) (r1 r2 r3 : pred W) :
  (forall x, 0 <= w x) ->
  let c := mass_of w in let c12 := c (predI r1 r2) in let c13 := c (predI r1 r3) in
  let c23 := c (predI r2 r3) in let all := c (predI r1 (predI r2 r3)) in
  Order.max 0 (Order.max (c12 + c13 - c r1) (Order.max (c12 + c23 - c r2) (c13 + c23 - c r3)))
    <= all /\
  all <= Order.min (mass w - c r1 - c r2 - c r3 + c12 + c13 + c23)
    (Order.min c12 (Order.min c13 c23)).
Proof.
move=> w0 c c12 c13 c23 all.
have -> : mass w = c predT by apply: eq_bigr => x _; rewrite mulr1.
rewrite !le_maxl !le_minr !ler_subl_addr /all /c12 /c13 /c23 /c /mass_of; split.
  apply/and4P; split; first by apply: sumr_ge0 => x _; rewrite mulr_ge0 ?ler0n.
  1-3: rewrite -!big_split; apply: ler_sum => x _ /=.
  1-3: rewrite -!mulrDr ler_wpmul2l //= -!natrD ler_nat.
  1-3: by case: (r1 x); case: (r2 x); case: (r3 x).
apply/and4P; split.
- rewrite -subr_ge0 [X in 0 <= X](_ : _ = c predT + c12 + c13 + c23 - (c r1 + c r2 + c r3 + all)).
    rewrite subr_ge0 /all /c12 /c13 /c23 /c /mass_of -!big_split; apply: ler_sum => x _ /=.
    rewrite -!mulrDr ler_wpmul2l //= -!natrD ler_nat.
    by case: (r1 x); case: (r2 x); case: (r3 x).
  by rewrite /all /c12 /c13 /c23 /c /mass_of; mc_ring R.
all: apply: ler_sum => x _; rewrite ler_wpmul2l //= ler_nat.
all: by case: (r1 x); case: (r2 x); case: (r3 x).
Qed.

Theorem frechet_pairs_attained (c1 c2 c3 c12 c13 c23 g a : R) :
  Order.max 0 (Order.max (c12 + c13 - c1) (Order.max (c12 + c23 - c2) (c13 + c23 - c3))) <= a ->
  a <= Order.min (g - c1 - c2 - c3 + c12 + c13 + c23) (Order.min c12 (Order.min c13 c23)) ->
  let r1 (x : bool * bool * bool) := x.1.1 in let r2 (x : bool * bool * bool) := x.1.2 in
  let r3 (x : bool * bool * bool) := x.2 in
  exists w, let c := mass_of w in
  [/\ forall x, 0 <= w x, mass w = g, [/\ c r1 = c1, c r2 = c2 & c r3 = c3],
      [/\ c (predI r1 r2) = c12, c (predI r1 r3) = c13 & c (predI r2 r3) = c23]
    & c (predI r1 (predI r2 r3)) = a].
Proof.
rewrite !le_maxl !le_minr => /and4P[a0 l1 l2 l3] /and4P[none u12 u13 u23] r1 r2 r3.
pose w (x : bool * bool * bool) : R :=
  match x with
  | (true, true, true) => a
  | (true, true, false) => c12 - a
  | (true, false, true) => c13 - a
  | (false, true, true) => c23 - a
  | (true, false, false) => a - (c12 + c13 - c1)
  | (false, true, false) => a - (c12 + c23 - c2)
  | (false, false, true) => a - (c13 + c23 - c3)
  | (false, false, false) => g - c1 - c2 - c3 + c12 + c13 + c23 - a
  end.
have sum8 (F : bool * bool * bool -> R) : \sum_x F x
    = F (true, true, true) + F (true, true, false)
      + (F (true, false, true) + F (true, false, false))
      + (F (false, true, true) + F (false, true, false)
         + (F (false, false, true) + F (false, false, false))).
  rewrite (eq_bigr (fun r => F (r.1, r.2))) => [|[] //].
  rewrite -(pair_bigA _ (fun a b => F (a, b))) /=.
  rewrite (eq_bigr (fun r => \sum_b F (r.1, r.2, b))) => [|[] //].
  by rewrite -(pair_bigA _ (fun a b => \sum_c F (a, b, c))) /= !big_bool.
exists w => c; rewrite /c /mass_of /mass !sum8 /=; split.
- by case=> -[[] []] []; rewrite /w ?subr_ge0.
- by mc_ring R.
- by split; mc_ring R.
- by split; mc_ring R.
- by mc_ring R.
Qed.

End ThreeTargets.

(** Any number of targets, masses c k of any size up to g: each bound is attained. *)
Section Attaining.

Variables (R : realFieldType) (Q : finType) (c : Q -> R) (g : R).
Hypotheses (g0 : 0 <= g) (c0g : forall k, 0 <= c k <= g).
Add Field R_field : (field_laws R).

(** A weighted draw with these masses. *)
Definition with_masses (W : finType) (w : W -> R) (right : Q -> W -> bool) :=
  [/\ forall x, 0 <= w x, mass w = g & forall k, mass_one w right k = c k].

(** One more target, right with probability p1 where another is right, p2 where none is. *)
Lemma one_more_target (u d b : R) : 0 <= u -> 0 <= d -> 0 <= b -> b <= u + d ->
  exists p1 p2, [/\ 0 <= p1 <= 1, 0 <= p2 <= 1, p1 * u + p2 * d = b
    & u + p2 * d = Order.min (u + d) (u + b)].
Proof.
move=> u0 d0 b0 bud; have [bd|db] := lerP b d.
  exists 0, (b / d); rewrite lexx ler01 mul0r add0r divr_ge0 //=.
  have e : b / d * d = b.
    have [dz|nz] := eqVneq d 0; last by rewrite divfK.
    by apply/eqP; rewrite eq_sym dz mulr0 -dz eq_le bd dz b0.
  rewrite e min_r ?ler_add2l //; split=> //.
  have [->|nz] := eqVneq d 0; first by rewrite invr0 mulr0 ler01.
  by rewrite ler_pdivr_mulr ?mul1r // lt_def nz.
have up : 0 < u by rewrite -(ltr_add2r d) add0r (lt_le_trans db).
exists ((b - d) / u), 1; rewrite ler01 lexx divr_ge0 ?subr_ge0 ?(ltW db) //=.
rewrite ler_pdivr_mulr // !mul1r ler_subl_addr bud divfK ?gt_eqF // subrK.
by rewrite min_l ?ler_add2l ?(ltW db).
Qed.

Theorem frechet_any_attained : exists (W : finType) (w : W -> R) (right : Q -> W -> bool),
  with_masses w right /\ mass_any w right = Order.min g (\sum_k c k).
Proof.
suff [W [w [right [w0 wg one [_ any]]]]] :
    exists (W : finType) (w : W -> R) (right : Q -> W -> bool),
    [/\ forall x, 0 <= w x, mass w = g, forall k, k \in index_enum Q -> mass_one w right k = c k
      & (forall k x, k \notin index_enum Q -> right k x = false)
        /\ mass_any w right = Order.min g (\sum_k c k)].
  by exists W, w, right; split=> //; split=> // k; rewrite one // mem_index_enum.
have := index_enum_uniq Q; elim: (index_enum Q) => [_|k ks IH /= /andP[kks uks]].
  exists [finType of unit], (fun=> g), (fun _ _ => false).
  rewrite /mass /mass_any !big_nil (bigD1 tt) //= big1 => [|[] //].
  rewrite addr0 big1 => [|x _]; last first.
    by rewrite (_ : [exists k, false] = false) ?mulr0 //; apply/existsP => -[].
  by rewrite min_r.
have [W [w [right [w0 wg one [none any]]]]] := IH uks.
have [ck0 ckg] := andP (c0g k).
set u := mass_any w right in any; have [u0 ug] : 0 <= u /\ u <= g.
  by split; [apply: sumr_ge0 => x _; rewrite mulr_ge0 ?ler0n | rewrite any le_minl lexx].
have [p1 [p2 [p1_ p2_ hit union]]] : exists p1 p2, [/\ 0 <= p1 <= 1, 0 <= p2 <= 1,
    p1 * u + p2 * (g - u) = c k & u + p2 * (g - u) = Order.min g (u + c k)].
  have ugu : u + (g - u) = g by rewrite addrC subrK.
  by have := @one_more_target u (g - u) (c k) u0; rewrite ugu subr_ge0; apply.
pose p x := if [exists i, right i x] then p1 else p2.
pose right' i (z : W * bool) := if i == k then z.2 else right i z.1.
exists [finType of W * bool], (fun z => w z.1 * (if z.2 then p z.1 else 1 - p z.1)), right'.
have sum2 (f : W * bool -> R) : \sum_z w z.1 * (if z.2 then p z.1 else 1 - p z.1) * f z
    = \sum_x w x * (p x * f (x, true) + (1 - p x) * f (x, false)).
  pose F x b := w x * (if b then p x else 1 - p x) * f (x, b).
  rewrite (eq_bigr (fun z => F z.1 z.2)) => [|[x b] _ //]; rewrite -(pair_bigA _ F) /=.
  by apply: eq_bigr => x _; rewrite big_bool /F /= -!mulrA -mulrDr.
have any' z : [exists i, right' i z] = [exists i, right i z.1] || z.2.
  apply/existsP/orP => [[i]|[/existsP[i ri]|zk]]; rewrite /right'.
  - by case: eqP => [_ ->|_ ri]; [right | left; apply/existsP; exists i].
  - by exists i; case: eqP => // e; rewrite e none in ri.
  - by exists k; rewrite eqxx.
have split_u q1 q2 : \sum_x w x * (if [exists i, right i x] then q1 else q2)
    = q1 * u + q2 * (g - u).
  rewrite -wg /u /mass_any /mass -sumrB !mulr_sumr -big_split; apply: eq_bigr => x _ /=.
  by case: ifP => _; mc_ring R.
have p01 x : 0 <= p x <= 1 by rewrite /p; case: ifP.
split.
- by move=> [x b] /=; have /andP[px0 px1] := p01 x; rewrite mulr_ge0 //; case: b; rewrite ?subr_ge0.
- rewrite -wg /mass; under eq_bigr do rewrite -[_ * (if _ then _ else _)]mulr1.
  by rewrite (sum2 (fun=> 1)); apply: eq_bigr => x _; rewrite !mulr1 addrC subrK mulr1.
- move=> i; rewrite inE /mass_one (sum2 (fun z => (right' i z)%:R)) /right' /=.
  have [-> _|ne /= iks] := eqVneq i k.
    rewrite -hit -split_u; apply: eq_bigr => x _.
    by rewrite mulr1 mulr0 addr0.
  rewrite -(one i iks); apply: eq_bigr => x _.
  by rewrite -mulrDl addrC subrK mul1r.
- split.
    move=> i x; rewrite inE negb_or => /andP[/negbTE ne nks]; rewrite /right' ne; exact: none.
  rewrite big_cons /mass_any (sum2 (fun z => [exists i, right' i z]%:R)).
  have -> : Order.min g (c k + \sum_(i <- ks) c i) = u + p2 * (g - u).
    by rewrite union any addr_minl minA [Order.min g (g + c k)]min_l ?ler_addl // (addrC (c k)).
  rewrite -[X in X + _]mul1r -split_u; apply: eq_bigr => x _; rewrite !any' /= orbT orbF /p.
  by case: ifP => _; mc_ring R.
Qed.

Lemma telescope (v : nat -> R) m n : (m <= n)%N ->
  \sum_(i < n) (v i - v i.+1) * (m <= i)%N%:R = v m - v n.
Proof.
elim: n => [|n IH]; first by rewrite leqn0 big_ord0 => /eqP ->; rewrite subrr.
rewrite big_ord_recr leq_eqVlt ltnS /= => /orP[/eqP ->|mn].
  rewrite ltnn mulr0 addr0 subrr big1 // => i _.
  by rewrite leqNgt ltnS (ltnW (ltn_ord i)) mulr0.
by rewrite IH // mn mulr1 addrA subrK.
Qed.

(** Nested: right about a target is right about all that are more often right. *)
Theorem frechet_nested_attained : (0 < #|Q|)%N ->
  exists (W : finType) (w : W -> R) (right : Q -> W -> bool),
  [/\ with_masses w right, is_least (fun=> True) c (mass_all w right)
    & is_greatest (fun=> True) c (mass_any w right)].
Proof.
move=> /card_gt0P[q _]; pose s := sort (fun k k' => c k' <= c k) (enum Q).
have sq k : k \in s by rewrite mem_sort mem_enum.
have us : uniq s by rewrite sort_uniq enum_uniq.
have falls : sorted (fun k k' => c k' <= c k) s by apply: sort_sorted => k k'; exact: le_total.
pose v i := if i is i'.+1 then nth 0 [seq c k | k <- s] i' else g.
have T0 : (0 < size s)%N by case: (s) (sq q).
have v_at k : v (index k s).+1 = c k by rewrite /= (nth_map q) ?nth_index ?index_mem.
have v_end : v (size s).+1 = 0 by rewrite /= nth_default ?size_map.
exists [finType of 'I_(size s).+1], (fun i : 'I_(size s).+1 => v i - v i.+1).
exists (fun k (i : 'I_(size s).+1) => index k s < i)%N.
have one k : mass_one (fun i : 'I_(size s).+1 => v i - v i.+1)
    (fun k (i : 'I_(size s).+1) => index k s < i)%N k = c k.
  by rewrite /mass_one (@telescope v) ?ltnS ?index_size // v_end subr0 v_at.
have w0 (i : 'I_(size s).+1) : 0 <= v i - v i.+1.
  rewrite subr_ge0; case: i => -[_|i] /=.
    by rewrite (nth_map q) //; have /andP[] := c0g (nth q s 0).
  rewrite ltnS => le; have [lt|] := ltnP i.+1 (size s); last first.
    by move=> ge; rewrite nth_default ?size_map // (nth_map q) //; have /andP[] := c0g (nth q s i).
  by rewrite !(nth_map q) //; have /(sortedP q) := falls; apply.
split; first split=> //.
- rewrite -[RHS]/(v 0%N) -[RHS]subr0 -v_end -(@telescope v 0 (size s).+1) //.
  by apply: eq_bigr => i _; rewrite mulr1.
- split=> [|k _]; last by rewrite -one; exact: frechet_all_upper.
  exists (nth q s (size s).-1) => //; rewrite -v_at index_uniq ?ltn_predL // prednK //.
  rewrite -[LHS]subr0 -v_end -telescope //; apply: eq_bigr => i _.
  congr (_ * _%:R); congr nat_of_bool.
  apply/idP/forallP => [le k|/(_ (nth q s (size s).-1))]; last first.
    by rewrite index_uniq ?ltn_predL ?prednK.
  by rewrite (leq_trans _ le) ?index_mem.
- split=> [|k _]; last by rewrite -one; exact: frechet_any_lower.
  exists (nth q s 0) => //; rewrite -v_at index_uniq //.
  rewrite -[LHS]subr0 -v_end -telescope ?ltnS //; apply: eq_bigr => i _.
  congr (_ * _%:R); congr nat_of_bool.
  apply/idP/existsP => [i0|[k]]; last exact: leq_trans.
  by exists (nth q s 0); rewrite index_uniq.
Qed.

End Attaining.


Lemma sub_min (R : realFieldType) (g x : R) : g - Order.min g (g - x) = Order.max 0 x.
Proof.
by rewrite minEle maxEle ler_addl oppr_ge0; case: ltrgtP => [_|_|->]; rewrite ?subrr ?subKr.
Qed.

Section AllAttained.

Variables (R : realFieldType) (Q : finType) (c : Q -> R) (g : R).
Add Field R_field : (field_laws R).

Theorem frechet_all_attained : 0 <= g -> (forall k, 0 <= c k <= g) ->
  exists (W : finType) (w : W -> R) (right : Q -> W -> bool),
  with_masses c g w right /\
  mass_all w right = Order.max 0 (\sum_k c k - (#|Q|%:R - 1) * g).
Proof.
move=> g0 c0g; have [|W [w [right [[w0 wg one] any]]]] := 
    @frechet_any_attained R Q (fun k => g - c k) g g0.
  by move=> k; have /andP[ck0 ckg] := c0g k; rewrite subr_ge0 ckg ler_subl_addr ler_addl.
have wrong (b : W -> bool) : \sum_x w x * (~~ b x)%:R = g - \sum_x w x * (b x)%:R.
  rewrite -wg /mass -sumrB; apply: eq_bigr => x _.
  by case: (b x); rewrite ?mulr1 ?mulr0 ?subrr ?subr0.
exists W, w, (fun k x => ~~ right k x); split.
  by split=> // k; rewrite /mass_one wrong -/(mass_one w right k) one subKr.
transitivity (g - mass_any w right).
  by rewrite -wrong; apply: eq_bigr => x _; rewrite negb_exists.
rewrite any sumrB (_ : \sum_k g = #|Q|%:R * g); last by rewrite sumr_const mulr_natl.
by rewrite -(sub_min g); congr (_ - Order.min _ _); mc_ring R.
Qed.

End AllAttained.

Section Records.

Variables (R : realFieldType) (Q T K P Y : finType).
(** The targets and the keys of the original people and synthetic records. *)
Variables (tP : P -> Q -> T) (kP : P -> K) (tY : Y -> Q -> T) (kY : Y -> K).
Add Field R_field : (field_laws R).

(** The two tables of target k. *)
Definition o_of k : table R T K := count R (fun x => tP x k) kP.
Definition s_of k : table R T K := count R (fun y => tY y k) kY.

(** The two tables of the joint target, whose values are vectors. *)
Definition joint_o : table R [finType of {ffun Q -> T}] K :=
  count R (fun x => [ffun k => tP x k]) kP.
Definition joint_s : table R [finType of {ffun Q -> T}] K :=
  count R (fun y => [ffun k => tY y k]) kY.

Definition original_records j : R := #|[set x | kP x == j]|%:R.
Definition synthetic_records j : R := #|[set y | kY y == j]|%:R.

(** Expected numbers of original records of key j that are right: about target
    k, about all targets, about at least one. *)
Definition right_one k j := \sum_i o_of k i j * share (s_of k) i j.
Definition right_all j := \sum_t joint_o t j * share joint_s t j.
Definition right_any j : R := \sum_(x | kP x == j)
  #|[set y | (kY y == j) && [exists k, tY y k == tP x k]]|%:R / synthetic_records j.

(** An original and a synthetic record with key j, the latter at random. *)
Let w j (z : P * Y) : R :=
  ((kP z.1 == j) && (kY z.2 == j))%:R / synthetic_records j.
Let right k (z : P * Y) := tY z.2 k == tP z.1 k.

Let w_ge0 j z : 0 <= w j z.
Proof. by rewrite divr_ge0 ?ler0n. Qed.

Let sum_w j (f : P -> Y -> bool) :
  \sum_z w j z * (f z.1 z.2)%:R = \sum_(x | kP x == j)
    #|[set y | (kY y == j) && f x y]|%:R / synthetic_records j.
Proof.
rewrite -(pair_bigA _ (fun x y => w j (x, y) * (f x y)%:R)) /= [RHS]big_mkcond /=.
apply: eq_bigr => x _; case: ifP => kx; last first.
  by apply: big1 => y _; rewrite /w /= kx mul0r mul0r.
transitivity (\sum_y ((kY y == j) && f x y)%:R / synthetic_records j : R).
  apply: eq_bigr => y _; rewrite /w /= kx /=.
  by case: (kY y == j); case: (f x y); rewrite ?mulr1 ?mulr0 ?mul0r.
rewrite -mulr_suml; congr (_ / _).
by rewrite -natr_sum -big_mkcond /= sum1dep_card cardsE.
Qed.

Let sum_people_of_key (T' : finType) (t : P -> T') (f : T' -> R) j :
  \sum_i count R t kP i j * f i = \sum_(x | kP x == j) f (t x).
Proof.
rewrite [RHS]big_mkcond /= (sum_people t kP (fun i k => if k == j then f i else 0)).
rewrite [RHS](bigD1 j) //= eqxx [X in _ = _ + X]big1 ?addr0 // => k /negbTE ne.
by rewrite ne; apply: big1 => i _; rewrite mulr0.
Qed.

Let one_mass k j : right_one k j = mass_one (w j) right k.
Proof.
rewrite /right_one /mass_one (sum_people_of_key (fun x => tP x k)).
rewrite (sum_w j (fun x y => tY y k == tP x k)); apply: eq_bigr => x _.
rewrite -individual_cap; congr (_%:R / _); apply: eq_card => y.
by rewrite !inE andbC.
Qed.

Let all_mass j : right_all j = mass_all (w j) right.
Proof.
rewrite /right_all /mass_all (sum_people_of_key (fun x => [ffun k => tP x k])).
rewrite (sum_w j (fun x y => [forall k, tY y k == tP x k])); apply: eq_bigr => x _.
rewrite -individual_cap; congr (_%:R / _); apply: eq_card => y.
rewrite !inE andbC; congr (_ && _); apply/eqP/forallP => [/ffunP h k|h].
  by have := h k; rewrite !ffunE => ->.
by apply/ffunP => k; rewrite !ffunE; apply/eqP.
Qed.

Let any_mass j : right_any j = mass_any (w j) right.
Proof. by rewrite /mass_any (sum_w j (fun x y => [exists k, tY y k == tP x k])). Qed.

Lemma right_one_people k j : right_one k j = \sum_(x | kP x == j)
  #|[set y | (kY y == j) && (tY y k == tP x k)]|%:R / synthetic_records j.
Proof. by rewrite one_mass -(sum_w j (fun x y => tY y k == tP x k)). Qed.

Lemma right_all_people j : right_all j = \sum_(x | kP x == j)
  #|[set y | (kY y == j) && [forall k, tY y k == tP x k]]|%:R / synthetic_records j.
Proof. by rewrite all_mass -(sum_w j (fun x y => [forall k, tY y k == tP x k])). Qed.

Let mass_w j : 0 < synthetic_records j -> mass (w j) = original_records j.
Proof.
move=> sj; rewrite /mass (eq_bigr (fun z => w j z * true%:R)) => [|z _]; last by rewrite mulr1.
rewrite (sum_w j (fun _ _ => true)) (eq_bigr (fun=> 1)) => [|x _].
  by rewrite sumr_const /original_records cardsE.
rewrite -[RHS](@divff _ (synthetic_records j)) ?gt_eqF //; congr (_%:R / _).
by apply: eq_card => y; rewrite !inE andbT.
Qed.

(** In one matched key. *)
Theorem joint_bounds_of_key j : (0 < #|Q|)%N -> 0 < synthetic_records j ->
  [/\ Order.max 0 (\sum_k right_one k j - (#|Q|%:R - 1) * original_records j)
        <= right_all j,
      forall k, right_all j <= right_one k j,
      forall k, right_one k j <= right_any j
    & right_any j <= Order.min (original_records j) (\sum_k right_one k j)].
Proof.
move=> Q0 sj; have e : \sum_k right_one k j = \sum_k mass_one (w j) right k.
  by apply: eq_bigr => k _; rewrite one_mass.
rewrite e all_mass any_mass -mass_w //; split.
- exact: frechet_all_lower.
- by move=> k; rewrite one_mass; exact: frechet_all_upper.
- by move=> k; rewrite one_mass; exact: frechet_any_lower.
- exact: frechet_any_upper.
Qed.

(** Sums over the matched keys, over any number n. *)
Let M : pred K := fun j => 0 < synthetic_records j.
Let over_matched (n : R) (f : K -> R) := (\sum_(j | M j) f j) / n.
Definition low_of_key j := Order.max 0 (\sum_k right_one k j - (#|Q|%:R - 1) * original_records j).
Definition high_of_key j := Order.min (original_records j) (\sum_k right_one k j).

Let over_monotone n f f' : 0 < n -> (forall j, M j -> f j <= f' j) ->
  over_matched n f <= over_matched n f'.
Proof. by move=> n0 le; rewrite ler_pmul2r ?invr_gt0 // ler_sum. Qed.

Let over_sum n : \sum_k over_matched n (right_one k)
  = over_matched n (fun j => \sum_k right_one k j).
Proof. by rewrite /over_matched exchange_big mulr_suml. Qed.

Let over_by_key n : 0 < n -> (0 < #|Q|)%N ->
  let C k := over_matched n (right_one k) in let g := over_matched n original_records in
  [/\ over_matched n low_of_key <= over_matched n right_all,
      Order.max 0 (\sum_k C k - (#|Q|%:R - 1) * g) <= over_matched n low_of_key,
      over_matched n right_any <= over_matched n high_of_key
    & over_matched n high_of_key <= Order.min g (\sum_k C k)] /\
  forall lo hi : K -> R,
  (forall j, is_least (fun=> True) (right_one^~ j) (lo j)) ->
  (forall j, is_greatest (fun=> True) (right_one^~ j) (hi j)) ->
  [/\ over_matched n right_all <= over_matched n lo,
      forall k, over_matched n lo <= C k,
      over_matched n hi <= over_matched n right_any
    & forall k, C k <= over_matched n hi].
Proof.
move=> n0 Q0 C g; have key j : M j -> _ := fun Mj => joint_bounds_of_key Q0 Mj.
split=> [|lo hi least most]; split.
- by apply: over_monotone => // j Mj; have [] := key j Mj.
- rewrite le_maxl; apply/andP; split.
    by rewrite divr_ge0 ?(ltW n0) // sumr_ge0 // => j _; rewrite le_maxr lexx.
  rewrite over_sum /g /over_matched mulrA -mulrBl ler_pmul2r ?invr_gt0 //.
  rewrite mulr_sumr -sumrB; apply: ler_sum => j _.
  by rewrite le_maxr lexx orbT.
- by apply: over_monotone => // j Mj; have [] := key j Mj.
- rewrite le_minr over_sum.
  by apply/andP; split; apply: over_monotone => // j _; rewrite le_minl lexx ?orbT.
- apply: over_monotone => // j Mj; have [[k _ <-] _] := least j.
  by have [] := key j Mj.
- by move=> k; apply: over_monotone => // j _; have [_] := least j; apply.
- apply: over_monotone => // j Mj; have [[k _ <-] _] := most j.
  by have [] := key j Mj.
- by move=> k; apply: over_monotone => // j _; have [_] := most j; apply.
Qed.

Let over_all n : 0 < n -> (0 < #|Q|)%N ->
  let C k := over_matched n (right_one k) in let g := over_matched n original_records in
  [/\ Order.max 0 (\sum_k C k - (#|Q|%:R - 1) * g) <= over_matched n right_all,
      forall k, over_matched n right_all <= C k,
      forall k, C k <= over_matched n right_any
    & over_matched n right_any <= Order.min g (\sum_k C k)].
Proof.
move=> n0 Q0 C g; have key j : M j -> _ := fun Mj => joint_bounds_of_key Q0 Mj.
have [[low1 low2 high1 high2] _] := over_by_key n0 Q0; split.
- exact: le_trans low2 low1.
- by move=> k; apply: over_monotone => // j Mj; have [] := key j Mj.
- by move=> k; apply: over_monotone => // j Mj; have [] := key j Mj.
- exact: le_trans high1 high2.
Qed.

(** Average CAP, version 1. *)
Definition matched_records := \sum_(j | M j) original_records j.
Definition matched_share := matched_records / #|P|%:R.
Definition all_right := (\sum_(j | M j) right_all j) / #|P|%:R.
Definition any_right := (\sum_(j | M j) right_any j) / #|P|%:R.

Lemma correct_of_target k : correct (o_of k) (s_of k) = \sum_(j | M j) right_one k j.
Proof. by apply: eq_bigl => j; rewrite /matched key_total_count. Qed.

Lemma correct_of_joint : correct joint_o joint_s = \sum_(j | M j) right_all j.
Proof. by apply: eq_bigl => j; rewrite /matched key_total_count. Qed.

(** All right is average CAP of the joint target. *)
Theorem all_right_is_joint_cap : all_right = cap joint_o joint_s.
Proof. by rewrite /cap total_count correct_of_joint. Qed.

(** Part 1: the bounds of the averages. *)
Theorem joint_bounds : (0 < #|P|)%N -> (0 < #|Q|)%N ->
  let C k := cap (o_of k) (s_of k) in let g := matched_share in
  [/\ Order.max 0 (\sum_k C k - (#|Q|%:R - 1) * g) <= all_right,
      forall k, all_right <= C k,
      forall k, C k <= any_right
    & any_right <= Order.min g (\sum_k C k)].
Proof.
move=> P0 Q0 C g; have n0 : 0 < #|P|%:R :> R by rewrite ltr0n.
have e k : C k = over_matched #|P|%:R (right_one k).
  by rewrite /C /cap total_count correct_of_target.
rewrite (eq_bigr _ (fun k _ => e k)); have [? all any ?] := over_all n0 Q0.
by split=> // k; rewrite e; [exact: all | exact: any].
Qed.

(** Part 2: the sums of the bounds of the keys hold, and are never wider. lo and hi
    are the least and the greatest of a key's expected numbers of right records. *)
Theorem joint_bounds_by_key : (0 < #|P|)%N -> (0 < #|Q|)%N ->
  let C k := cap (o_of k) (s_of k) in let g := matched_share in let n : R := #|P|%:R in
  [/\ (\sum_(j | M j) low_of_key j) / n <= all_right,
      Order.max 0 (\sum_k C k - (#|Q|%:R - 1) * g) <= (\sum_(j | M j) low_of_key j) / n,
      any_right <= (\sum_(j | M j) high_of_key j) / n
    & (\sum_(j | M j) high_of_key j) / n <= Order.min g (\sum_k C k)] /\
  forall lo hi : K -> R,
  (forall j, is_least (fun=> True) (right_one^~ j) (lo j)) ->
  (forall j, is_greatest (fun=> True) (right_one^~ j) (hi j)) ->
  [/\ all_right <= (\sum_(j | M j) lo j) / n,
      forall k, (\sum_(j | M j) lo j) / n <= C k,
      (\sum_(j | M j) hi j) / n <= any_right
    & forall k, C k <= (\sum_(j | M j) hi j) / n].
Proof.
move=> P0 Q0 C g n; have n0 : 0 < n by rewrite ltr0n.
have e k : C k = over_matched n (right_one k).
  by rewrite /C /cap total_count correct_of_target.
rewrite (eq_bigr _ (fun k _ => e k)); have [outer inner] := over_by_key n0 Q0.
split=> // lo hi least most; have [? all ? any] := inner lo hi least most.
by split=> // k; rewrite e; [exact: all | exact: any].
Qed.

(** Version 2: draws among the matched records, with g = 1. *)
Definition any_right_matched := (\sum_(j | M j) right_any j) / matched_records.

Lemma matched_total_records (T' : finType) (t : P -> T') (t' : Y -> T') :
  matched_total (count R t kP) (count R t' kY) = matched_records.
Proof.
rewrite /matched_total (eq_bigl M) => [|j]; last by rewrite /matched key_total_count.
by apply: eq_bigr => j _; rewrite key_total_count.
Qed.

Let over_records : 0 < matched_records -> over_matched matched_records original_records = 1.
Proof. by move=> n0; rewrite /over_matched divff ?gt_eqF. Qed.

Theorem joint_bounds_version_2 : 0 < matched_records -> (0 < #|Q|)%N ->
  let C k := cap_matched (o_of k) (s_of k) in let all := cap_matched joint_o joint_s in
  [/\ Order.max 0 (\sum_k C k - (#|Q|%:R - 1)) <= all,
      forall k, all <= C k,
      forall k, C k <= any_right_matched
    & any_right_matched <= Order.min 1 (\sum_k C k)].
Proof.
move=> n0 Q0 C all; have e k : C k = over_matched matched_records (right_one k).
  by rewrite /C /cap_matched matched_total_records correct_of_target.
rewrite /all /cap_matched matched_total_records correct_of_joint.
have [] := over_all n0 Q0; rewrite over_records // mulr1.
rewrite (eq_bigr _ (fun k _ => e k)) => ? all_le any_ge ?.
by split=> // k; rewrite e; [exact: all_le | exact: any_ge].
Qed.

Theorem joint_bounds_by_key_version_2 : 0 < matched_records -> (0 < #|Q|)%N ->
  let C k := cap_matched (o_of k) (s_of k) in let all := cap_matched joint_o joint_s in
  let n := matched_records in
  [/\ (\sum_(j | M j) low_of_key j) / n <= all,
      Order.max 0 (\sum_k C k - (#|Q|%:R - 1)) <= (\sum_(j | M j) low_of_key j) / n,
      any_right_matched <= (\sum_(j | M j) high_of_key j) / n
    & (\sum_(j | M j) high_of_key j) / n <= Order.min 1 (\sum_k C k)] /\
  forall lo hi : K -> R,
  (forall j, is_least (fun=> True) (right_one^~ j) (lo j)) ->
  (forall j, is_greatest (fun=> True) (right_one^~ j) (hi j)) ->
  [/\ all <= (\sum_(j | M j) lo j) / n,
      forall k, (\sum_(j | M j) lo j) / n <= C k,
      (\sum_(j | M j) hi j) / n <= any_right_matched
    & forall k, C k <= (\sum_(j | M j) hi j) / n].
Proof.
move=> n0 Q0 C all n; have e k : C k = over_matched n (right_one k).
  by rewrite /C /cap_matched matched_total_records correct_of_target.
rewrite /all /cap_matched matched_total_records correct_of_joint.
have [] := over_by_key n0 Q0; rewrite over_records // mulr1.
rewrite (eq_bigr _ (fun k _ => e k)) => outer inner.
split=> // lo hi least most; have [? all_le ? any_ge] := inner lo hi least most.
by split=> // k; rewrite e; [exact: all_le | exact: any_ge].
Qed.

End Records.

(** Part 3. Sets of given sizes with the largest union, and nested ones. *)
Section Sets.

Variables (P Q : finType).
Implicit Types (A D U : {set P}) (a : Q -> nat).

Lemma natr_min (R : realFieldType) n m : (minn n m)%:R = Order.min n%:R m%:R :> R.
Proof. by rewrite minEle ler_nat; case: leqP. Qed.

Lemma first_card D n : (n <= #|D|)%N -> #|[set x in take n (enum D)]| = n.
Proof.
by move=> le; rewrite cardsE (card_uniqP _) ?take_uniq ?enum_uniq // size_takel // -cardE.
Qed.

Lemma first_subset D n : [set x in take n (enum D)] \subset D.
Proof. by apply/subsetP => x; rewrite inE => /mem_take; rewrite mem_enum. Qed.

Lemma first_nested D n m : (n <= m)%N ->
  [set x in take n (enum D)] \subset [set x in take m (enum D)].
Proof.
by move=> le; apply/subsetP => x; rewrite !inE -(take_take le) => /mem_take.
Qed.

Lemma one_more_set D U n : U \subset D -> (n <= #|D|)%N ->
  exists A, [/\ A \subset D, #|A| = n & #|A :|: U| = minn #|D| (n + #|U|)].
Proof.
move=> UD nD; have cD : (#|D :\: U| + #|U| = #|D|)%N.
  by rewrite cardsD (setIidPr UD) subnK ?subset_leq_card.
have [le|gt] := leqP n #|D :\: U|.
  exists [set x in take n (enum (D :\: U))]; have sA := first_subset (D :\: U) n.
  split; [exact: subset_trans sA (subsetDl D U) | exact: first_card |].
  rewrite cardsU first_card // (disjoint_setI0 _) ?cards0 ?subn0; last first.
    by rewrite disjoints_subset (subset_trans sA) // setDE subsetIr.
  by rewrite (minn_idPr _) // -cD leq_add2r.
have nU : (n - #|D :\: U| <= #|U|)%N by rewrite leq_subLR cD.
have sB := first_subset U (n - #|D :\: U|).
exists ((D :\: U) :|: [set x in take (n - #|D :\: U|) (enum U)]); split.
- by rewrite subUset subsetDl (subset_trans sB).
- rewrite cardsU first_card // (disjoint_setI0 _) ?cards0 ?subn0 ?subnKC ?(ltnW gt) //.
  by rewrite disjoint_sym disjoints_subset (subset_trans sB) // setCD subsetUr.
- rewrite -setUA (setUidPr sB) (_ : _ :|: U = D).
    by rewrite (minn_idPl _) // -cD leq_add2r ltnW.
  by rewrite setUC -{1}(setIidPr UD) setID.
Qed.

Lemma largest_union D a : (forall k, a k <= #|D|)%N -> exists A : Q -> {set P},
  [/\ forall k, A k \subset D, forall k, #|A k| = a k
    & #|\bigcup_k A k| = minn #|D| (\sum_k a k)].
Proof.
move=> aD; have := index_enum_uniq Q; elim: (index_enum Q) => [_|k ks IH /= /andP[kks uks]].
  exists (fun k => [set x in take (a k) (enum D)]); split=> [k|k|]; first exact: first_subset.
    exact: first_card.
  by rewrite !big_nil cards0 minn0.
have [A [AD cA cU]] := IH uks.
have UD : \bigcup_(k <- ks) A k \subset D.
  by elim: (ks) => [|i l le]; rewrite ?big_nil ?big_cons ?sub0set // subUset AD.
have [B [BD cB cBU]] := one_more_set UD (aD k).
exists (fun i => if i == k then B else A i).
split=> [i|i|]; [by case: ifP | by case: ifP => // /eqP -> |].
rewrite !big_cons eqxx (eq_big_seq A) => [|i iks]; last by case: eqP iks kks => // -> ->.
by rewrite cBU cU addn_minr minnA (minn_idPl (leq_addl _ _)).
Qed.

End Sets.

(** The people and their keys are any. The release has one record in each key of M, which
    says true of all targets; a k j <= the number of people of key j are to be right about k. *)
Section Attained.

Variables (R : realFieldType) (Q P K : finType) (kP : P -> K) (M : pred K).
Variable a : Q -> K -> nat.
Add Field R_field : (field_laws R).
Let people j := [set x | kP x == j].
Hypothesis a_le : forall k j, (a k j <= #|people j|)%N.

Definition released := [finType of {j | M j}].
Definition released_key (y : released) : K := val y.
Definition released_target (y : released) (k : Q) := true.

Let card_released j b : M j -> #|[set y | (released_key y == j) && b]| = b.
Proof.
move=> Mj; case: b; last by rewrite eq_card0 // => y; rewrite inE andbF.
by apply/eqP/cards1P; exists (Sub j Mj); apply/setP => y; rewrite !inE andbT -val_eqE.
Qed.

Lemma released_records j : synthetic_records R released_key j = (M j)%:R.
Proof.
congr _%:R; case: (boolP (M j)) => [Mj|nM].
  by rewrite -(card_released true Mj); apply: eq_card => y; rewrite !inE andbT.
by apply/eqP; rewrite cards_eq0; apply/eqP/setP => -[j' Mj']; rewrite !inE;
  apply: contraNF nM => /eqP <-.
Qed.

Let sum_right j (f : P -> bool) : M j ->
  \sum_(x | kP x == j) #|[set y | (released_key y == j) && f x]|%:R
    / synthetic_records R released_key j = #|[set x in people j | f x]|%:R.
Proof.
move=> Mj; rewrite (eq_bigr (fun x => (f x)%:R)) => [|x _]; last first.
  by rewrite card_released // released_records Mj divr1.
rewrite -natr_sum -big_mkcondr /= sum1dep_card; congr _%:R.
by apply: eq_card => x; rewrite !inE.
Qed.

(** Targets of the people, such that those of A j k are right about target k. *)
Let targets (A : K -> Q -> {set P}) (x : P) (k : Q) : bool := x \in A (kP x) k.
Let one A k j := right_one R (targets A) kP released_target released_key k j.
Let all A j := right_all R (targets A) kP released_target released_key j.
Let any A j := right_any R (targets A) kP released_target released_key j.

Let of_sets (A : K -> Q -> {set P}) j : M j -> (forall k, A j k \subset people j) ->
  [/\ forall k, one A k j = #|A j k|%:R,
      all A j = #|[set x in people j | [forall k, x \in A j k]]|%:R
    & any A j = #|\bigcup_k A j k|%:R].
Proof.
move=> Mj sub; split=> [k||].
- rewrite /one right_one_people (sum_right (fun x => targets A x k)) //; congr _%:R.
  apply: eq_card => x; rewrite !inE /targets; case: eqP => [-> //|ne].
  by apply/esym/negbTE/negP => /(subsetP (sub k)); rewrite inE => /eqP.
- rewrite /all right_all_people (sum_right (fun x => [forall k, targets A x k])) //; congr _%:R.
  by apply: eq_card => x; rewrite !inE /targets; case: eqP => // ->.
- rewrite /any /right_any (sum_right (fun x => [exists k, targets A x k])) //; congr _%:R.
  apply: eq_card => x; rewrite !inE /targets.
  apply/andP/bigcupP => [[/eqP <- /existsP[k]]|[k _ Ak]]; first by exists k.
  have := subsetP (sub k) x Ak; rewrite inE => /eqP e; rewrite e; split=> //.
  by apply/existsP; exists k.
Qed.

Let original_people j : original_records R kP j = #|people j|%:R.
Proof. by []. Qed.

(** Each side of part 2. *)
Theorem joint_low_attained : exists t : P -> Q -> bool, forall j, M j ->
  (forall k, right_one R t kP released_target released_key k j = (a k j)%:R) /\
  right_all R t kP released_target released_key j
    = low_of_key R t kP released_target released_key j.
Proof.
have [B hB] := fin_all_exists (fun j => largest_union (fun k => leq_subr (a k j) #|people j|)).
exists (targets (fun j k => people j :\: B j k)) => j Mj; have [sub cB cU] := hB j.
have [k|e1 e _] := @of_sets (fun j k => people j :\: B j k) j Mj; first exact: subsetDl.
have {}e1 k : one (fun j k => people j :\: B j k) k j = (a k j)%:R.
  by rewrite e1 cardsD (setIidPr (sub k)) cB subKn.
split=> //; rewrite [LHS]e /low_of_key (eq_bigr _ (fun k _ => e1 k)) original_people.
have -> : [set x in people j | [forall k, x \in people j :\: B j k]]
    = people j :\: \bigcup_k B j k.
  apply/setP => x; rewrite !inE [RHS]andbC; case: eqP => //= xj.
  apply/forallP/negP => [h /bigcupP[k _ xk]|h k]; first by have := h k; rewrite !inE xk.
  by rewrite !inE xj eqxx andbT; apply/negP => xk; apply: h; apply/bigcupP; exists k.
have UD : \bigcup_k B j k \subset people j by apply/bigcupsP => k _; exact: sub.
rewrite cardsD (setIidPr UD) cU natrB ?geq_minl // natr_min natr_sum.
rewrite (eq_bigr (fun k => #|people j|%:R - (a k j)%:R)) => [|k _]; last by rewrite natrB.
set N : R := #|people j|%:R; rewrite sumrB; set S := \sum_k (a k j)%:R.
have -> : \sum_(k : Q) N = #|Q|%:R * N by rewrite sumr_const mulr_natl.
by rewrite -(sub_min N); congr (_ - Order.min _ _); mc_ring R.
Qed.

Theorem joint_high_attained : exists t : P -> Q -> bool, forall j, M j ->
  (forall k, right_one R t kP released_target released_key k j = (a k j)%:R) /\
  right_any R t kP released_target released_key j
    = high_of_key R t kP released_target released_key j.
Proof.
have [A hA] := fin_all_exists (fun j => largest_union (a_le^~ j)).
exists (targets A) => j Mj; have [sub cA cU] := hA j; have [e1 _ e] := of_sets Mj sub.
have {}e1 k : one A k j = (a k j)%:R by rewrite e1 cA.
by split=> //; rewrite [LHS]e cU natr_min /high_of_key (eq_bigr _ (fun k _ => e1 k)) natr_sum.
Qed.

Theorem joint_nested_attained : (0 < #|Q|)%N -> exists t : P -> Q -> bool, forall j, M j ->
  let one k := right_one R t kP released_target released_key k j in
  [/\ forall k, one k = (a k j)%:R,
      is_least (fun=> True) one (right_all R t kP released_target released_key j)
    & is_greatest (fun=> True) one (right_any R t kP released_target released_key j)].
Proof.
move=> /card_gt0P[q _]; pose A j k := [set x in take (a k j) (enum (people j))].
exists (targets A) => j Mj one'; have sub k : A j k \subset people j by exact: first_subset.
have [e1 eall eany] := of_sets Mj sub.
have {}e1 k : one' k = (a k j)%:R by rewrite [LHS]e1 first_card.
split=> //.
- case: (@arg_minnP _ q xpredT (a^~ j)) => // k _ le.
  have -> : right_all R (targets A) kP released_target released_key j = one' k.
    rewrite [LHS]eall [RHS]e1 -(first_card (a_le k j)); congr _%:R; apply: eq_card => x.
    rewrite !inE; apply/andP/idP => [[_ /forallP/(_ k)]|xk]; first by rewrite inE.
    split; first by have := subsetP (sub k) x; rewrite !inE; apply.
    by apply/forallP => k'; apply: (subsetP (first_nested _ (le k' isT))); rewrite inE.
  by split=> [|k' _]; [exists k | rewrite !e1 ler_nat; exact: le].
- case: (@arg_maxnP _ q xpredT (a^~ j)) => // k _ le.
  have -> : right_any R (targets A) kP released_target released_key j = one' k.
    rewrite [LHS]eany [RHS]e1 -(first_card (a_le k j)); congr _%:R; apply: eq_card => x.
    apply/bigcupP/idP => [[k' _]|xk]; last by exists k.
    exact: (subsetP (first_nested _ (le k' isT))).
  by split=> [|k' _]; [exists k | rewrite !e1 ler_nat; exact: le].
Qed.

End Attained.

(** Each side of part 1: n people, of whom the first N are matched, by one record. *)
Theorem joint_bounds_attained (R : realFieldType) (Q : finType) (n N : nat) (a : Q -> nat) :
  (0 < n)%N -> (N <= n)%N -> (forall k, a k <= N)%N -> (0 < #|Q|)%N ->
  let M (j : bool) := j in let key (x : 'I_n) := (x < N)%N in
  let yes (y : released M) (k : Q) := true in let g : R := N%:R / n%:R in
  let C t k := cap (o_of R t key k) (s_of R yes (@released_key _ M) k) in
  let all t := all_right R t key yes (@released_key _ M) in
  let any t := any_right R t key yes (@released_key _ M) in
  let attains (side : ('I_n -> Q -> bool) -> Prop) :=
    exists2 t, forall k, C t k = (a k)%:R / n%:R & side t in
  [/\ matched_share R key (@released_key _ M) = g,
      attains (fun t => all t = Order.max 0 (\sum_k C t k - (#|Q|%:R - 1) * g)),
      attains (fun t => any t = Order.min g (\sum_k C t k))
    & attains (fun t => is_least (fun=> True) (C t) (all t)
        /\ is_greatest (fun=> True) (C t) (any t))].
Proof.
move=> n0 Nn aN Q0 M key yes g C all any attains; have n0' : 0 < n%:R :> R by rewrite ltr0n.
have cN : #|[set x | key x]| = N.
  by rewrite -sum1dep_card (big_ord_narrow Nn) sum1_card card_ord.
have a_le k j : ((if j then a k else 0) <= #|[set x | key x == j]|)%N.
  case: j => //; apply: leq_trans (aN k) _; rewrite -{1}cN; apply: eq_leq; apply: eq_card => x.
  by rewrite !inE eqb_id.
have only (f : bool -> R) :
    \sum_(j | 0 < synthetic_records R (@released_key _ M) j) f j = f true.
  by rewrite big_mkcond big_bool /= !released_records ltr01 ltxx addr0.
have records : original_records R key true = N%:R.
  by rewrite -cN; congr _%:R; apply: eq_card => x; rewrite !inE eqb_id.
have one_C t k : C t k = right_one R t key yes (@released_key _ M) k true / n%:R.
  by rewrite /C /cap correct_of_target only total_count card_ord.
have all_C t : all t = right_all R t key yes (@released_key _ M) true / n%:R.
  by rewrite /all /all_right only card_ord.
have any_C t : any t = right_any R t key yes (@released_key _ M) true / n%:R.
  by rewrite /any /any_right only card_ord.
split; first by rewrite /matched_share /matched_records only records card_ord.
- have [t /(_ true isT)[one low]] := joint_low_attained R M a_le.
  exists t => [k|]; first by rewrite one_C one.
  rewrite all_C low /low_of_key records maxr_pmull ?invr_ge0 ?ler0n // mul0r.
  by rewrite (eq_bigr _ (fun k _ => one_C t k)) -mulr_suml /g [_ * (_ / _)]mulrA -mulrBl.
- have [t /(_ true isT)[one high]] := joint_high_attained R M a_le.
  exists t => [k|]; first by rewrite one_C one.
  rewrite any_C high /high_of_key records minr_pmull ?invr_ge0 ?ler0n //.
  by rewrite mulr_suml (eq_bigr _ (fun k _ => one_C t k)).
- have [t /(_ true isT)[one least most]] := joint_nested_attained R M a_le Q0.
  exists t => [k|]; first by rewrite one_C one.
  rewrite all_C any_C; split.
    have [[k _ <-] le] := least; split; first by exists k; rewrite ?one_C.
    by move=> k' _; rewrite one_C ler_pmul2r ?invr_gt0 // le.
  have [[k _ <-] le] := most; split; first by exists k; rewrite ?one_C.
  by move=> k' _; rewrite one_C ler_pmul2r ?invr_gt0 // le.
Qed.

(** The same in version 2, where g is 1: n people of one key. *)
Theorem joint_bounds_version_2_attained (R : realFieldType) (Q : finType) (n : nat) (a : Q -> nat) :
  (0 < n)%N -> (forall k, a k <= n)%N -> (0 < #|Q|)%N ->
  let M (j : unit) := true in let key (x : 'I_n) := tt in
  let yes (y : released M) (k : Q) := true in
  let C t k := cap_matched (o_of R t key k) (s_of R yes (@released_key _ M) k) in
  let all t := cap_matched (joint_o R t key) (joint_s R yes (@released_key _ M)) in
  let any t := any_right_matched R t key yes (@released_key _ M) in
  let attains (side : ('I_n -> Q -> bool) -> Prop) :=
    exists2 t, forall k, C t k = (a k)%:R / n%:R & side t in
  [/\ attains (fun t => all t = Order.max 0 (\sum_k C t k - (#|Q|%:R - 1))),
      attains (fun t => any t = Order.min 1 (\sum_k C t k))
    & attains (fun t => is_least (fun=> True) (C t) (all t)
        /\ is_greatest (fun=> True) (C t) (any t))].
Proof.
move=> n0 an Q0 M key yes C all any attains; have n0' : 0 < n%:R :> R by rewrite ltr0n.
have card_key : #|[set x | key x == tt]| = n.
  by rewrite -[RHS](card_ord n) -cardsT; apply: eq_card => x; rewrite !inE.
have a_le k j : (a k <= #|[set x | key x == j]|)%N by case: j; rewrite card_key.
have only (f : unit -> R) :
    \sum_(j | 0 < synthetic_records R (@released_key _ M) j) f j = f tt.
  by rewrite (big_pred1 tt) // => -[]; rewrite released_records ltr01.
have records : original_records R key tt = n%:R by rewrite /original_records card_key.
have total : matched_records R key (@released_key _ M) = n%:R.
  by rewrite /matched_records only.
have one_C t k : C t k = right_one R t key yes (@released_key _ M) k tt / n%:R.
  by rewrite /C /cap_matched matched_total_records correct_of_target only total.
have all_C t : all t = right_all R t key yes (@released_key _ M) tt / n%:R.
  by rewrite /all /cap_matched matched_total_records correct_of_joint only total.
have any_C t : any t = right_any R t key yes (@released_key _ M) tt / n%:R.
  by rewrite /any /any_right_matched only total.
split.
- have [t /(_ tt isT)[one low]] := joint_low_attained R M a_le.
  exists t => [k|]; first by rewrite one_C one.
  rewrite all_C low /low_of_key records maxr_pmull ?invr_ge0 ?ler0n // mul0r.
  rewrite (eq_bigr _ (fun k _ => one_C t k)) -mulr_suml.
  by rewrite -{2}[#|Q|%:R - 1](mulfK (lt0r_neq0 n0')) -mulrBl.
- have [t /(_ tt isT)[one high]] := joint_high_attained R M a_le.
  exists t => [k|]; first by rewrite one_C one.
  rewrite any_C high /high_of_key records minr_pmull ?invr_ge0 ?ler0n //.
  by rewrite divff ?gt_eqF // mulr_suml (eq_bigr _ (fun k _ => one_C t k)).
- have [t /(_ tt isT)[one least most]] := joint_nested_attained R M a_le Q0.
  exists t => [k|]; first by rewrite one_C one.
  rewrite all_C any_C; split.
    have [[k _ <-] le] := least; split; first by exists k; rewrite ?one_C.
    by move=> k' _; rewrite one_C ler_pmul2r ?invr_gt0 // le.
  have [[k _ <-] le] := most; split; first by exists k; rewrite ?one_C.
  by move=> k' _; rewrite one_C ler_pmul2r ?invr_gt0 // le.
Qed.

(** The nearest keys: key j looks up all synthetic records whose keys are in H j. *)
Section Pools.

Variables (R : realFieldType) (Q T K P Y : finType).
Variables (tP : P -> Q -> T) (kP : P -> K) (tY : Y -> Q -> T) (kY : Y -> K).
Variable H : K -> {set K}.

Definition pool j := [set y | kY y \in H j].

(** A release in which each key has a copy of its pool: the CAPs of the pools are
    version 1 of this release, and all its keys are matched. *)
Let Y' := [finType of {z : K * Y | z.2 \in pool z.1}].
Let key_of (z : Y') := (val z).1.

Let card_copies j (f : pred Y) :
  #|[set z : Y' | f (val z).2 && (key_of z == j)]| = #|[set y in pool j | f y]|.
Proof.
have pair_inj : injective (pair j : Y -> K * Y) by move=> y y' [].
rewrite -[LHS](card_imset _ val_inj) -[RHS](card_imset _ pair_inj).
apply: eq_card => -[j' y]; apply/imsetP/imsetP => [[[[j0 y0] pz]]|[y']].
  rewrite !inE /= => /andP[fz /eqP <-] [-> ->]; exists y0 => //.
  by have := pz; rewrite !inE /= fz andbT.
rewrite !inE => /andP[py fy] [-> ->].
have py' : (j, y').2 \in pool (j, y').1 by rewrite inE.
by exists (Sub (j, y') py'); rewrite // inE /key_of /= fy eqxx.
Qed.

Let pooled_count (T' : finType) (t : Y -> T') i j :
  pooled H (count R t kY) i j = count R (fun z : Y' => t (val z).2) key_of i j.
Proof.
rewrite /count (card_copies j (fun y => t y == i)) /pooled -natr_sum; congr _%:R.
rewrite -sum1_card (partition_big kY (mem (H j))) /= => [|y]; last first.
  by rewrite !inE => /andP[].
apply: eq_bigr => k kH; rewrite -sum1_card; apply: eq_bigl => y.
by rewrite !inE; case: (kY y =P k) => [->|_]; rewrite ?kH ?andbF.
Qed.

(** Expected numbers of original records of key j that are right, as above. *)
Definition one_in_pool k j := \sum_i o_of R tP kP k i j * share (pooled H (s_of R tY kY k)) i j.
Definition any_in_pool j : R := \sum_(x | kP x == j)
  #|[set y in pool j | [exists k, tY y k == tP x k]]|%:R / #|pool j|%:R.
Definition cap_of_pools k := cap (o_of R tP kP k) (pooled H (s_of R tY kY k)).
Definition all_of_pools := cap (joint_o R tP kP) (pooled H (joint_s R tY kY)).
Definition any_of_pools := (\sum_j any_in_pool j) / #|P|%:R.
Definition low_of_pool j :=
  Order.max 0 (\sum_k one_in_pool k j - (#|Q|%:R - 1) * original_records R kP j).
Definition high_of_pool j := Order.min (original_records R kP j) (\sum_k one_in_pool k j).

Hypothesis pool0 : forall j, (0 < #|pool j|)%N.

Let tY' (z : Y') := tY (val z).2.

Let copies j : #|[set z : Y' | key_of z == j]| = #|pool j|.
Proof.
rewrite -(eq_card (A := [set y in pool j | xpredT y])) => [|y]; last by rewrite !inE andbT.
by rewrite -(card_copies j xpredT).
Qed.

Let all_matched j : (0 < synthetic_records R key_of j) = true.
Proof. by rewrite /synthetic_records copies ltr0n pool0. Qed.

Let cap_of_copies (T' : finType) (t : Y -> T') (o : table R T' K) :
  cap o (count R (fun z : Y' => t (val z).2) key_of) = cap o (pooled H (count R t kY)).
Proof.
have e := pooled_count t; set s := count R _ key_of.
have [|i j|i j|//] := @cap_of_shares _ _ _ o s (pooled H (count R t kY)).
- by move=> i j; rewrite ler0n.
- by rewrite e ler0n.
- by rewrite /share /key_total /s -e; congr (_ / _); apply: eq_bigr => i' _.
Qed.

Let one_of_copies k j : right_one R tP kP tY' key_of k j = one_in_pool k j.
Proof.
have e i : s_of R tY' key_of k i j = pooled H (s_of R tY kY k) i j.
  exact: (esym (pooled_count (tY^~ k) i j)).
by apply: eq_bigr => i _; rewrite /share e; congr (_ * (_ / _)); apply: eq_bigr => i' _.
Qed.

Let any_of_copies j : right_any R tP kP tY' key_of j = any_in_pool j.
Proof.
apply: eq_bigr => x _; rewrite /synthetic_records copies; congr (_%:R / _).
rewrite -(card_copies j (fun y => [exists k, tY y k == tP x k])).
by apply: eq_card => z; rewrite !inE andbC.
Qed.

Let cap_of_target_copies k :
  cap (o_of R tP kP k) (s_of R tY' key_of k) = cap_of_pools k.
Proof. exact: (cap_of_copies (tY^~ k)). Qed.

Let all_of_copies : cap (joint_o R tP kP) (joint_s R tY' key_of) = all_of_pools.
Proof. exact: (cap_of_copies (fun y => [ffun k => tY y k])). Qed.

Let sum_keys (f f' : K -> R) : f =1 f' ->
  \sum_(j | 0 < synthetic_records R key_of j) f j = \sum_j f' j.
Proof. by move=> e; apply: eq_big => j; rewrite ?all_matched ?e. Qed.

Let share_is_1 : (0 < #|P|)%N -> matched_share R kP key_of = 1.
Proof.
move=> P0; rewrite /matched_share /matched_records (sum_keys (fun=> erefl)).
rewrite -[X in _ / X](total_count R kP kP) /total.
rewrite (eq_bigr (fun j => key_total (count R kP kP) j)) => [|j _]; last first.
  by rewrite key_total_count.
by rewrite divff // -/(total _) total_count pnatr_eq0 -lt0n.
Qed.

Theorem joint_bounds_nearest : (0 < #|P|)%N -> (0 < #|Q|)%N ->
  [/\ Order.max 0 (\sum_k cap_of_pools k - (#|Q|%:R - 1)) <= all_of_pools,
      forall k, all_of_pools <= cap_of_pools k,
      forall k, cap_of_pools k <= any_of_pools
    & any_of_pools <= Order.min 1 (\sum_k cap_of_pools k)].
Proof.
move=> P0 Q0; have := joint_bounds R tP kP tY' key_of P0 Q0; cbv zeta.
rewrite all_right_is_joint_cap all_of_copies share_is_1 // mulr1.
rewrite (eq_bigr _ (fun k _ => cap_of_target_copies k)) /any_right (sum_keys any_of_copies).
case=> ? all any ?.
by split=> // k; rewrite -cap_of_target_copies; [exact: all | exact: any].
Qed.

Theorem joint_bounds_by_key_nearest : (0 < #|P|)%N -> (0 < #|Q|)%N -> let n : R := #|P|%:R in
  [/\ (\sum_j low_of_pool j) / n <= all_of_pools,
      Order.max 0 (\sum_k cap_of_pools k - (#|Q|%:R - 1)) <= (\sum_j low_of_pool j) / n,
      any_of_pools <= (\sum_j high_of_pool j) / n
    & (\sum_j high_of_pool j) / n <= Order.min 1 (\sum_k cap_of_pools k)] /\
  forall lo hi : K -> R,
  (forall j, is_least (fun=> True) (one_in_pool^~ j) (lo j)) ->
  (forall j, is_greatest (fun=> True) (one_in_pool^~ j) (hi j)) ->
  [/\ all_of_pools <= (\sum_j lo j) / n,
      forall k, (\sum_j lo j) / n <= cap_of_pools k,
      (\sum_j hi j) / n <= any_of_pools
    & forall k, cap_of_pools k <= (\sum_j hi j) / n].
Proof.
move=> P0 Q0 n; have := joint_bounds_by_key R tP kP tY' key_of P0 Q0; cbv zeta.
rewrite all_right_is_joint_cap all_of_copies share_is_1 // mulr1.
rewrite (eq_bigr _ (fun k _ => cap_of_target_copies k)) /any_right (sum_keys any_of_copies).
have low j : low_of_key R tP kP tY' key_of j = low_of_pool j.
  by rewrite /low_of_key (eq_bigr _ (fun k _ => one_of_copies k j)).
have high j : high_of_key R tP kP tY' key_of j = high_of_pool j.
  by rewrite /high_of_key (eq_bigr _ (fun k _ => one_of_copies k j)).
rewrite (sum_keys low) (sum_keys high) => -[outer inner]; split=> // lo hi least most.
have [j||] := inner lo hi.
- have [[k kt <-] le] := least j; split; first by exists k; rewrite ?one_of_copies.
  by move=> k' _; rewrite one_of_copies; exact: le.
- move=> j; have [[k kt <-] le] := most j; split; first by exists k; rewrite ?one_of_copies.
  by move=> k' _; rewrite one_of_copies; exact: le.
rewrite !(sum_keys (fun=> erefl)) => ? all ? any.
by split=> // k; rewrite -cap_of_target_copies; [exact: all | exact: any].
Qed.

End Pools.

(** Nearest keys: with a synthetic record, each key has nearest ones with some. *)
Theorem nearest_pools (R : realFieldType) (T V Y : finType) (L : nat) (t : Y -> T)
    (kY : Y -> [finType of key V L]) : (0 < #|Y|)%N ->
  forall j, (0 < #|pool kY (nearest (count R t kY)) j|)%N.
Proof.
move=> /card_gt0P[y0 _] j; apply/card_gt0P.
have matchedP k : reflect (exists y, kY y = k) (matched (count R t kY) k).
  rewrite /matched key_total_count ltr0n card_gt0.
  by apply: (iffP (set0Pn _)) => -[y]; rewrite ?inE => ky; exists y; rewrite ?inE; apply/eqP.
exists [arg min_(y < y0) distance j (kY y)]; case: arg_minnP => // y _ le.
rewrite !inE; apply/andP; split; first by apply/matchedP; exists y.
by apply/forallP => k; apply/implyP => /matchedP[y' <-]; exact: le.
Qed.
