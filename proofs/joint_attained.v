(** * Tables that attain the bounds for several targets

    Chapter: theory/attainable.md, statement joint-bounds, part 3.

    In words. For all people and keys and all whole numbers of people of each
    matched key to be right about each target, a release with one record in each
    such key is right about them, with as few or as many right about all targets,
    or about any, as the bounds of the keys say. So are the bounds of the averages,
    for any N of n people matched: all of them, where g is 1 in version 2 and with
    the nearest keys. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields counts attainable neighbours frechet joint.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

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

(** Where each key looks up itself, the pools are version 1: so its bounds are
    attained with the nearest keys, too. *)
Theorem pools_of_themselves (R : realFieldType) (Q T K P Y : finType) (tP : P -> Q -> T) (kP : P -> K)
    (tY : Y -> Q -> T) (kY : Y -> K) (H : K -> {set K}) : (forall x, H (kP x) = [set kP x]) ->
  (forall x, 0 < synthetic_records R kY (kP x)) ->
  [/\ forall k, cap_of_pools R tP kP tY kY H k = cap (o_of R tP kP k) (s_of R tY kY k),
      all_of_pools R tP kP tY kY H = all_right R tP kP tY kY
    & any_of_pools R tP kP tY kY H = any_right R tP kP tY kY].
Proof.
move=> own some.
have same (T' : finType) (t : P -> T') (t' : Y -> T') :
    cap (count R t kP) (pooled H (count R t' kY)) = cap (count R t kP) (count R t' kY).
  have s0 : nonneg (count R t' kY) by move=> i j; rewrite ler0n.
  have p0 : nonneg (pooled H (count R t' kY)) by move=> i j; apply: sumr_ge0.
  rewrite /cap !correct_all //; congr (_ / _).
  rewrite -!(sum_people t kP (fun i j => share _ i j)); apply: eq_bigr => x _.
  have e i : pooled H (count R t' kY) i (kP x) = count R t' kY i (kP x).
    by rewrite /pooled own big_set1.
  by rewrite /share e; congr (_ / _); apply: eq_bigr.
split=> [k||]; [exact: same | by rewrite all_right_is_joint_cap; exact: same |].
rewrite /any_of_pools /any_right; congr (_ / _); rewrite [RHS]big_mkcond; apply: eq_bigr => j _.
rewrite /any_in_pool; have [/existsP[x /eqP <-]|none] := boolP [exists x, kP x == j].
  have -> : pool kY H (kP x) = [set y | kY y == kP x].
    by apply/setP => y; rewrite !inE own inE.
  rewrite some /any_in_pool /right_any; apply: eq_bigr => z _; congr (_%:R / _); apply: eq_card => y.
  by rewrite !inE.
have no x : (kP x == j) = false by apply: contraNF none => e; apply/existsP; exists x.
by rewrite /any_in_pool /right_any !(eq_bigl _ _ no) !big_pred0_eq; case: ifP.
Qed.
