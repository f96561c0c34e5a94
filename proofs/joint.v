(** * Several targets: all right, any right

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
      All targets have the same nearest keys.
    - All right for all targets together is average CAP of the joint target. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields counts attainable neighbours frechet.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

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

Lemma over_by_key n : 0 < n -> (0 < #|Q|)%N ->
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

Lemma over_all n : 0 < n -> (0 < #|Q|)%N ->
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

(** One H for all targets is no loss: which keys are nearest does not depend on
    the target, since the tables of all targets have the same key totals. *)
Theorem nearest_of_all_targets (R : realFieldType) (T T' V Y : finType) (L : nat)
    (t : Y -> T) (t' : Y -> T') (kY : Y -> [finType of key V L]) j :
  nearest (count R t kY) j = nearest (count R t' kY) j.
Proof.
have same k : matched (count R t kY) k = matched (count R t' kY) k.
  by rewrite /matched !key_total_count.
apply/setP => k; rewrite !inE same; congr andb.
by apply: eq_forallb => k'; rewrite same.
Qed.
