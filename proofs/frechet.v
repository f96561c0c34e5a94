(** * Frechet's bounds

    Chapter: theory/attainable.md, statement joint-bounds.

    In words. Draws have weights that are not negative, with sum g; in each draw
    each of T >= 1 targets is right or wrong. Let c_k be the weight of the draws
    in which target k is right.
    - The weight with all targets right is at least 0 and at least the sum of the
      c_k minus (T - 1) g, and at most every c_k.
    - The weight with at least one right is at least every c_k, and at most g and
      at most the sum of the c_k.
    - For all c_k from 0 to g some draws attain each bound. With two targets every
      value between the bounds occurs.
    - If the weights with two targets right at once are known for three targets,
      all right has the bounds of frechet_pairs, and every value between occurs. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields attainable.

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
