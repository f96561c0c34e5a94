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
    - All right for all targets together is average CAP of the joint target.
    - With two targets every value between the bounds occurs. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields counts.

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

(** Average CAP: sums over the matched keys, over n. *)
Let M : pred K := fun j => 0 < synthetic_records j.
Definition matched_share := (\sum_(j | M j) original_records j) / #|P|%:R.
Definition all_right := (\sum_(j | M j) right_all j) / #|P|%:R.
Definition any_right := (\sum_(j | M j) right_any j) / #|P|%:R.

Lemma cap_of_target k : cap (o_of k) (s_of k) = (\sum_(j | M j) right_one k j) / #|P|%:R.
Proof.
rewrite /cap total_count /correct; congr (_ / _); apply: eq_bigl => j.
by rewrite /matched key_total_count.
Qed.

(** All right is average CAP of the joint target. *)
Theorem all_right_is_joint_cap : all_right = cap joint_o joint_s.
Proof.
rewrite /cap total_count /correct /all_right; congr (_ / _); apply: eq_bigl => j.
by rewrite /matched key_total_count.
Qed.

(** Part 1: the bounds of the averages. *)
Theorem joint_bounds : (0 < #|P|)%N -> (0 < #|Q|)%N ->
  let C k := cap (o_of k) (s_of k) in let g := matched_share in
  [/\ Order.max 0 (\sum_k C k - (#|Q|%:R - 1) * g) <= all_right,
      forall k, all_right <= C k,
      forall k, C k <= any_right
    & any_right <= Order.min g (\sum_k C k)].
Proof.
move=> P0 Q0 C g; have n0 : 0 < #|P|%:R :> R by rewrite ltr0n.
have key j : M j -> _ := fun Mj => joint_bounds_of_key Q0 Mj.
have sumC : \sum_k C k = (\sum_(j | M j) \sum_k right_one k j) / #|P|%:R.
  rewrite exchange_big mulr_suml; apply: eq_bigr => k _; exact: cap_of_target.
split.
- rewrite le_maxl; apply/andP; split.
    rewrite divr_ge0 ?(ltW n0) // sumr_ge0 // => j Mj.
    by have [] := key j Mj; rewrite le_maxl => /andP[].
  rewrite sumC /g /matched_share mulrA -mulrBl ler_pmul2r ?invr_gt0 //.
  rewrite mulr_sumr -sumrB; apply: ler_sum => j Mj.
  by have [] := key j Mj; rewrite le_maxl => /andP[].
- move=> k; rewrite /C cap_of_target ler_pmul2r ?invr_gt0 //.
  by apply: ler_sum => j Mj; have [] := key j Mj.
- move=> k; rewrite /C cap_of_target ler_pmul2r ?invr_gt0 //.
  by apply: ler_sum => j Mj; have [] := key j Mj.
- rewrite le_minr sumC /g /matched_share !ler_pmul2r ?invr_gt0 //.
  by apply/andP; split; apply: ler_sum => j Mj; have [_ _ _] := key j Mj;
    rewrite le_minr => /andP[].
Qed.

(** Part 2: the sums of the bounds of the keys hold, and are never wider. *)
Theorem joint_bounds_by_key : (0 < #|P|)%N -> (0 < #|Q|)%N ->
  let low j := Order.max 0 (\sum_k right_one k j - (#|Q|%:R - 1) * original_records j) in
  let high j := Order.min (original_records j) (\sum_k right_one k j) in
  let C k := cap (o_of k) (s_of k) in let g := matched_share in
  [/\ (\sum_(j | M j) low j) / #|P|%:R <= all_right,
      Order.max 0 (\sum_k C k - (#|Q|%:R - 1) * g) <= (\sum_(j | M j) low j) / #|P|%:R,
      any_right <= (\sum_(j | M j) high j) / #|P|%:R
    & (\sum_(j | M j) high j) / #|P|%:R <= Order.min g (\sum_k C k)].
Proof.
move=> P0 Q0 low high C g; have n0 : 0 < #|P|%:R :> R by rewrite ltr0n.
have key j : M j -> _ := fun Mj => joint_bounds_of_key Q0 Mj.
have sumC : \sum_k C k = (\sum_(j | M j) \sum_k right_one k j) / #|P|%:R.
  rewrite exchange_big mulr_suml; apply: eq_bigr => k _; exact: cap_of_target.
split.
- rewrite ler_pmul2r ?invr_gt0 //.
  by apply: ler_sum => j Mj; have [] := key j Mj.
- rewrite le_maxl; apply/andP; split.
    by rewrite divr_ge0 ?(ltW n0) // sumr_ge0 // => j _; rewrite le_maxr lexx.
  rewrite sumC /g /matched_share mulrA -mulrBl ler_pmul2r ?invr_gt0 //.
  rewrite mulr_sumr -sumrB; apply: ler_sum => j _.
  by rewrite le_maxr lexx orbT.
- rewrite ler_pmul2r ?invr_gt0 //.
  by apply: ler_sum => j Mj; have [] := key j Mj.
- rewrite le_minr sumC /g /matched_share !ler_pmul2r ?invr_gt0 //.
  by apply/andP; split; apply: ler_sum => j _; rewrite le_minl lexx ?orbT.
Qed.

End Records.
