(** * The least and the greatest average CAP of any release

    Chapter: theory/attainable.md, statements lemma-1, theorem-2 and theorem-3.

    In words. Let O be fixed and n > 0.
    - Lemma 1: with given key totals, version 1 is at least the sum over matched
      keys of the least count of the key, over n, with equality exactly if every
      synthetic record is in a cell with the least count of its key; at most the
      same with greatest counts. Some table attains each bound. The same holds
      of version 2 with the matched records in place of n.
    - Theorem 2: over all tables with m > 0 records, version 1 is at least the
      least cell over n. If the least cell is positive, it is attained exactly by
      the tables with one key and all records in least cells; if it is 0, exactly
      by the tables with all records in cells with 0.
      With a row or a column of zeros the least version 1 is 0; without some
      rows and columns of zeros it is no lower.
    - Theorem 3: over all tables with m > 0 records and a matched original record,
      version 2 is at least the least share of a target in a key of O, attained
      exactly if every synthetic record with a key of O is in such a cell.
    - Greatest values: with m records, version 1 is at most the sum of the
      min(m, J) largest of the greatest counts of the keys, over n; version 2 at
      most the greatest share. Both are attained.

    Tables have any nonnegative entries. The theorems whose names end in counts
    say the same of tables of whole counts, as `greatest_version_1` does, where
    the number of records matters. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import counts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Extremes.

Variable R : realFieldType.

(** m is the least (greatest) value of f where P holds, and is attained. *)
Definition is_least (A : Type) (P : A -> Prop) (f : A -> R) (m : R) :=
  (exists2 a, P a & f a = m) /\ (forall a, P a -> m <= f a).
Definition is_greatest (A : Type) (P : A -> Prop) (f : A -> R) (m : R) :=
  (exists2 a, P a & f a = m) /\ (forall a, P a -> f a <= m).

Lemma least_exists (A : finType) (P : pred A) (f : A -> R) a :
  P a -> exists m, is_least P f m.
Proof.
move=> Pa; exists (f [arg min_(x < a | P x) f x]%O).
by case: arg_minP => // x Px le; split; first by exists x.
Qed.

Lemma greatest_exists (A : finType) (P : pred A) (f : A -> R) a :
  P a -> exists m, is_greatest P f m.
Proof.
move=> Pa; exists (f [arg max_(x > a | P x) f x]%O).
by case: arg_maxP => // x Px le; split; first by exists x.
Qed.

End Extremes.

Section KeyTotals.

Variables (R : realFieldType) (T K : finType).
Implicit Types (o s : table R T K) (lo : K -> R).

(** What a table has above a lower bound of each key. *)
Lemma correct_above o lo s :
  correct o s - \sum_(j | matched s j) lo j
    = \sum_(j | matched s j) \sum_i (o i j - lo j) * share s i j.
Proof.
rewrite /correct -sumrB; apply: eq_bigr => j m.
rewrite -[X in _ - X]mulr1 -{1}(theorem_1 m) mulr_sumr -sumrB.
by apply: eq_bigr => i _; rewrite mulrBl.
Qed.

Lemma correct_lower o lo s : nonneg s -> (forall i j, lo j <= o i j) ->
  \sum_(j | matched s j) lo j <= correct o s.
Proof.
move=> s0 lo_le; rewrite -subr_ge0 correct_above.
apply: sumr_ge0 => j _; apply: sumr_ge0 => i _.
by rewrite mulr_ge0 ?subr_ge0 ?share_ge0.
Qed.

Lemma correct_lower_eq o lo s : nonneg s -> (forall i j, lo j <= o i j) ->
  correct o s = \sum_(j | matched s j) lo j <->
  (forall i j, 0 < s i j -> o i j = lo j).
Proof.
move=> s0 lo_le; split=> [/eqP|support].
  rewrite -subr_eq0 correct_above => /eqP zero i j sij.
  have m := matched_cell s0 sij.
  have term j' i' : matched s j' -> 0 <= (o i' j' - lo j') * share s i' j'.
    by move=> _; rewrite mulr_ge0 ?subr_ge0 ?share_ge0.
  have zj : \sum_i (o i j - lo j) * share s i j = 0.
    apply: (psumr_eq0P _ zero) => // j' m'.
    by apply: sumr_ge0 => i' _; exact: term.
  have /eqP : (o i j - lo j) * share s i j = 0.
    by apply: (psumr_eq0P _ zj) => // i' _; exact: term.
  rewrite mulf_eq0 matched_share_eq0 // (gt_eqF sij) orbF subr_eq0.
  by move/eqP.
apply/eqP; rewrite -subr_eq0 correct_above; apply/eqP.
apply: big1 => j m; apply: big1 => i _.
have [z|ne] := eqVneq (s i j) 0; first by rewrite /share z mul0r mulr0.
by rewrite support ?subrr ?mul0r // lt_def ne s0.
Qed.

Lemma correct_opp o s : correct (fun i j => - o i j) s = - correct o s.
Proof.
rewrite /correct -sumrN; apply: eq_bigr => j _.
by rewrite -sumrN; apply: eq_bigr => i _; rewrite mulNr.
Qed.

Lemma correct_upper o hi s : nonneg s -> (forall i j, o i j <= hi j) ->
  correct o s <= \sum_(j | matched s j) hi j.
Proof.
move=> s0 le_hi; rewrite -ler_opp2 -correct_opp -sumrN.
by apply: correct_lower => // i j; rewrite ler_opp2.
Qed.

Lemma correct_upper_eq o hi s : nonneg s -> (forall i j, o i j <= hi j) ->
  correct o s = \sum_(j | matched s j) hi j <->
  (forall i j, 0 < s i j -> o i j = hi j).
Proof.
move=> s0 le_hi.
have lo_le i j : - hi j <= - o i j by rewrite ler_opp2.
have [to from] := @correct_lower_eq (fun i j => - o i j) (fun j => - hi j) s s0 lo_le.
rewrite correct_opp sumrN in to from.
split=> [e i j sij|support].
  by apply: oppr_inj; apply: to => //; rewrite e.
by apply: oppr_inj; apply: from => i j /support ->.
Qed.

(** A table with all records of each key in one cell. *)
Definition one_target (m : K -> R) (t : K -> T) : table R T K :=
  fun i j => if i == t j then m j else 0.

Lemma one_target_key_total m t j : key_total (one_target m t) j = m j.
Proof.
rewrite /key_total (bigD1 (t j)) //= big1 => [|i /negbTE ne]; rewrite /one_target.
  by rewrite eqxx addr0.
by rewrite ne.
Qed.

Lemma one_target_nonneg m t : (forall j, 0 <= m j) -> nonneg (one_target m t).
Proof. by move=> m0 i j; rewrite /one_target; case: ifP. Qed.

(** A table with all records in one cell. *)
Definition one_cell (m : R) (i : T) (k : K) : table R T K :=
  one_target (fun j => if j == k then m else 0) (fun=> i).

Lemma one_cell_total m i k : total (one_cell m i k) = m.
Proof.
rewrite /total (bigD1 k) //= big1 => [|j /negbTE ne];
  rewrite one_target_key_total; first by rewrite eqxx addr0.
by rewrite ne.
Qed.

Lemma one_cell_nonneg m i k : 0 <= m -> nonneg (one_cell m i k).
Proof. by move=> m0; apply: one_target_nonneg => j; case: ifP. Qed.

Lemma one_cell_support m i k i' j : 0 < one_cell m i k i' j -> i' = i /\ j = k.
Proof.
rewrite /one_cell /one_target; have [->|_] := eqVneq i' i; last by rewrite ltxx.
by have [->|_] := eqVneq j k; last rewrite ltxx.
Qed.

Lemma one_cell_matched m i k j : 0 < m -> matched (one_cell m i k) j = (j == k).
Proof.
move=> m0; rewrite /matched one_target_key_total.
by case: eqP => _; rewrite ?m0 ?ltxx.
Qed.

Lemma one_cell_correct o m i k : 0 < m -> correct o (one_cell m i k) = o i k.
Proof.
move=> m0; rewrite /correct (big_pred1 k) => [|j]; last first.
  by rewrite one_cell_matched.
rewrite (bigD1 i) //= big1 => [|i' /negbTE ne];
  rewrite /share one_target_key_total /one_cell /one_target ?ne ?eqxx.
  by rewrite divff ?gt_eqF // mulr1 addr0.
by rewrite mul0r mulr0.
Qed.

Lemma one_cell_matched_total o m i k : 0 < m ->
  matched_total o (one_cell m i k) = key_total o k.
Proof.
by move=> m0; rewrite /matched_total (big_pred1 k) // => j; rewrite one_cell_matched.
Qed.

End KeyTotals.

Section Lemma1.

Variables (R : realFieldType) (T K : finType).
Variables (o : table R T K) (m : K -> R).
Implicit Types (s : table R T K).

(** Tables with given key totals. *)
Definition with_key_totals s := nonneg s /\ forall j, key_total s j = m j.

Lemma with_key_totals_matched s : with_key_totals s ->
  matched s =1 (fun j => 0 < m j).
Proof. by case=> _ e j; rewrite /matched e. Qed.

(** Lemma 1, parts 1 and 2: the lower bound, and exactly when it is attained. *)
Theorem lemma_1 (lo : K -> R) : 0 < total o ->
  (forall j, is_least (fun=> True) (o^~ j) (lo j)) -> forall s,
  with_key_totals s ->
  (\sum_(j | 0 < m j) lo j) / total o <= cap o s /\
  (cap o s = (\sum_(j | 0 < m j) lo j) / total o <->
   forall i j, 0 < s i j -> o i j = lo j).
Proof.
move=> n0 lo_least s ms; have [s0 _] := ms.
have lo_le i j : lo j <= o i j by case: (lo_least j) => _; apply.
rewrite -(eq_bigl _ _ (with_key_totals_matched ms)); split.
  by rewrite ler_pmul2r ?invr_gt0 // correct_lower.
rewrite -(correct_lower_eq s0 lo_le) /cap; split=> [|-> //].
by apply: mulIf; rewrite invr_neq0 ?gt_eqF.
Qed.

(** The lower bound is attained. *)
Theorem lemma_1_attained (lo : K -> R) : 0 < total o ->
  (forall j, 0 <= m j) ->
  (forall j, is_least (fun=> True) (o^~ j) (lo j)) ->
  is_least with_key_totals (cap o) ((\sum_(j | 0 < m j) lo j) / total o).
Proof.
move=> n0 m0 lo_least; split=> [|s ms]; last first.
  by have [] := lemma_1 n0 lo_least ms.
have at_ j : exists i, o i j == lo j.
  by case: (lo_least j) => -[i _ e] _; exists i; apply/eqP.
pose t j := xchoose (at_ j).
have ms : with_key_totals (one_target m t).
  split=> [|j]; [exact: one_target_nonneg | exact: one_target_key_total].
exists (one_target m t) => //; have [_ ->] := lemma_1 n0 lo_least ms.
move=> i j; rewrite /one_target; case: eqP => [-> _|]; last by rewrite ltxx.
exact/eqP/(xchooseP (at_ j)).
Qed.

(** Part 3: the upper bound, exactly when, and attained. *)
Theorem lemma_1_greatest (hi : K -> R) : 0 < total o ->
  (forall j, is_greatest (fun=> True) (o^~ j) (hi j)) -> forall s,
  with_key_totals s ->
  cap o s <= (\sum_(j | 0 < m j) hi j) / total o /\
  (cap o s = (\sum_(j | 0 < m j) hi j) / total o <->
   forall i j, 0 < s i j -> o i j = hi j).
Proof.
move=> n0 hi_most s ms; have [s0 _] := ms.
have le_hi i j : o i j <= hi j by case: (hi_most j) => _; apply.
rewrite -(eq_bigl _ _ (with_key_totals_matched ms)); split.
  by rewrite ler_pmul2r ?invr_gt0 // correct_upper.
rewrite -(correct_upper_eq s0 le_hi) /cap; split=> [|-> //].
by apply: mulIf; rewrite invr_neq0 ?gt_eqF.
Qed.

Theorem lemma_1_greatest_attained (hi : K -> R) : 0 < total o ->
  (forall j, 0 <= m j) ->
  (forall j, is_greatest (fun=> True) (o^~ j) (hi j)) ->
  is_greatest with_key_totals (cap o) ((\sum_(j | 0 < m j) hi j) / total o).
Proof.
move=> n0 m0 hi_most; split=> [|s ms]; last first.
  by have [] := lemma_1_greatest n0 hi_most ms.
have at_ j : exists i, o i j == hi j.
  by case: (hi_most j) => -[i _ e] _; exists i; apply/eqP.
pose t j := xchoose (at_ j).
have ms : with_key_totals (one_target m t).
  split=> [|j]; [exact: one_target_nonneg | exact: one_target_key_total].
exists (one_target m t) => //; have [_ ->] := lemma_1_greatest n0 hi_most ms.
move=> i j; rewrite /one_target; case: eqP => [-> _|]; last by rewrite ltxx.
exact/eqP/(xchooseP (at_ j)).
Qed.

(** Part 4: version 2, with the matched records, which are fixed, for n. *)
Theorem lemma_1_version_2 (lo hi : K -> R) :
  0 < \sum_(j | 0 < m j) key_total o j ->
  (forall j, is_least (fun=> True) (o^~ j) (lo j)) ->
  (forall j, is_greatest (fun=> True) (o^~ j) (hi j)) -> forall s,
  with_key_totals s ->
  let nM := \sum_(j | 0 < m j) key_total o j in
  ((\sum_(j | 0 < m j) lo j) / nM <= cap_matched o s
    <= (\sum_(j | 0 < m j) hi j) / nM) /\
  (cap_matched o s = (\sum_(j | 0 < m j) lo j) / nM <->
   forall i j, 0 < s i j -> o i j = lo j) /\
  (cap_matched o s = (\sum_(j | 0 < m j) hi j) / nM <->
   forall i j, 0 < s i j -> o i j = hi j).
Proof.
move=> nM0 lo_least hi_most s ms nM; have [s0 _] := ms.
have lo_le i j : lo j <= o i j by case: (lo_least j) => _; apply.
have le_hi i j : o i j <= hi j by case: (hi_most j) => _; apply.
rewrite /cap_matched /matched_total (eq_bigl _ _ (with_key_totals_matched ms)) -/nM.
rewrite -!(eq_bigl _ _ (with_key_totals_matched ms)).
have inv_nM : nM^-1 != 0 by rewrite invr_neq0 ?gt_eqF.
split; first by rewrite !ler_pmul2r ?invr_gt0 // correct_lower // correct_upper.
split; [rewrite -(correct_lower_eq s0 lo_le) | rewrite -(correct_upper_eq s0 le_hi)];
  by split=> [|-> //]; apply: mulIf.
Qed.

End Lemma1.

Section Theorem2.

Variables (R : realFieldType) (T K : finType) (o : table R T K).
Implicit Types (s : table R T K).

(** Tables with m records. *)
Definition with_records (m : R) s := nonneg s /\ total s = m.

Definition cell (c : T * K) := o c.1 c.2.

Lemma correct_key o' s k : nonneg o' -> nonneg s -> matched s k ->
  \sum_i o' i k * share s i k <= correct o' s.
Proof.
move=> o0 s0 m; rewrite /correct (bigD1 k) //= ler_addl sumr_ge0 // => j _.
by apply: sumr_ge0 => i _; rewrite mulr_ge0 ?share_ge0.
Qed.

Lemma key_lower lo s k : nonneg s -> matched s k -> (forall i, lo <= o i k) ->
  lo <= \sum_i o i k * share s i k.
Proof.
move=> s0 m le; rewrite -[X in X <= _]mulr1 -(theorem_1 m) mulr_sumr.
by apply: ler_sum => i _; rewrite ler_wpmul2r ?share_ge0.
Qed.

(** Theorem 2: the least value, for every m. *)
Theorem theorem_2 (lo m : R) : nonneg o -> 0 < total o -> 0 < m ->
  is_least (fun=> True) cell lo ->
  is_least (with_records m) (cap o) (lo / total o).
Proof.
move=> o0 n0 m0 [[[i k] _ /= e] lo_le]; split=> [|s [s0 sm]].
  exists (one_cell m i k).
    by split; [exact/one_cell_nonneg/ltW | exact: one_cell_total].
  by rewrite /cap one_cell_correct // -e.
rewrite ler_pmul2r ?invr_gt0 //.
have [|j mj] := matched_exists s0; first by rewrite sm.
apply: le_trans (correct_key o0 s0 mj); apply: key_lower => // i'.
exact: (lo_le (i', j)).
Qed.

(** Its minimisers if every cell of O has a record. *)
Theorem theorem_2_positive (lo m : R) s : nonneg o -> 0 < m ->
  is_least (fun=> True) cell lo -> 0 < lo -> with_records m s ->
  cap o s = lo / total o <->
  exists k, forall i j, 0 < s i j -> j = k /\ o i j = lo.
Proof.
move=> o0 m0 lo_least lo0 [s0 sm]; have [[[i1 k1] _ e1] lo_le] := lo_least.
have lo_le' i j : lo <= o i j by exact: (lo_le (i, j)).
have n0 : 0 < total o.
  apply: lt_le_trans (key_total_le_total k1 o0).
  apply: lt_le_trans (cell_le_key_total i1 k1 o0).
  by rewrite -[o i1 k1]/(cell (i1, k1)) e1.
have eqv : cap o s = lo / total o <-> correct o s = lo.
  rewrite /cap; split=> [|-> //].
  by apply: mulIf; rewrite invr_neq0 ?gt_eqF.
rewrite eqv; split=> [e|[k support]].
  have [|k mk] := matched_exists s0; first by rewrite sm.
  have only j : matched s j -> j = k.
    move=> mj; apply/eqP; apply: contraT => ne.
    have := e; rewrite /correct (bigD1 k) //= (bigD1 j) ?mj //= => /eqP.
    rewrite gt_eqF // -[ltLHS]addr0 ler_lt_add ?key_lower //.
    rewrite -[ltLHS]addr0 ltr_le_add //; last first.
      by apply: sumr_ge0 => j' _; apply: sumr_ge0 => i _; rewrite mulr_ge0 ?share_ge0.
    by apply: lt_le_trans lo0 _; exact: key_lower.
  exists k => i j sij; have mj := matched_cell s0 sij; split; first exact: only.
  apply: (correct_lower_eq s0 (fun i j => lo_le' i j)).1 sij.
  rewrite e (big_pred1 k) // => j' /=; apply/idP/eqP => [/only //|-> //].
have [|k' mk] := matched_exists s0; first by rewrite sm.
have only j : matched s j -> j = k.
  move=> mj; have [/existsP[i sij]|] := boolP [exists i, 0 < s i j].
    by have [] := support i j sij.
  rewrite negb_exists => /forallP none; move: mj; rewrite /matched.
  rewrite /key_total big1 ?ltxx // => i _; apply/eqP.
  by rewrite eq_le s0 andbT leNgt none.
rewrite (correct_lower_eq s0 (fun i j => lo_le' i j)).2 => [|i j /support[] //].
rewrite (big_pred1 k) // => j /=; apply/idP/eqP => [/only //|->].
by rewrite -(only k' mk).
Qed.

(** Its minimisers if some cell of O has none. *)
Theorem theorem_2_zero s : nonneg o -> 0 < total o -> nonneg s ->
  cap o s = 0 <-> forall i j, 0 < s i j -> o i j = 0.
Proof.
move=> o0 n0 s0; rewrite -(correct_lower_eq s0 (fun i j => o0 i j)) big1 //.
rewrite /cap; split=> [/eqP|->]; last by rewrite mul0r.
by rewrite mulf_eq0 invr_eq0 [X in _ || X]gt_eqF // orbF => /eqP.
Qed.

Lemma cell_exists (o' : table R T K) : nonneg o' -> 0 < total o' -> exists c : T * K, true.
Proof.
move=> o0 n0; have [j oj] := matched_exists o0 n0.
have [/existsP[i _]|] := boolP [exists i : T, true]; first by exists (i, j).
rewrite negb_exists => /forallP none; move: oj.
by rewrite /matched /key_total big1 ?ltxx // => i _; have := none i.
Qed.

Lemma least_cell (o' : table R T K) : nonneg o' -> 0 < total o' ->
  exists lo, is_least (fun=> True) (fun c => o' c.1 c.2) lo.
Proof.
move=> o0 n0; have [c _] := cell_exists o0 n0.
have [lo [[x _ e] le]] := least_exists (fun c => o' c.1 c.2) (isT : xpredT c).
by exists lo; split=> [|y _]; [exists x | exact: le].
Qed.

(** The domain: with a target or a key that no record has, the least value is 0. *)
Theorem theorem_2_zeros (m : R) : nonneg o -> 0 < total o -> 0 < m ->
  (exists i, forall j, o i j = 0) \/ (exists j, forall i, o i j = 0) ->
  is_least (with_records m) (cap o) 0.
Proof.
move=> o0 n0 m0 zeros; have [i [j oij]] : exists i j, o i j = 0.
  have [[i j] _] := cell_exists o0 n0.
  by case: zeros => -[x z]; [exists x, j | exists i, x].
rewrite -[0](mul0r (total o)^-1); apply: theorem_2 => //.
by split=> [|[i' j'] _]; [exists (i, j) | exact: o0].
Qed.

End Theorem2.

(** Without the targets and keys that the images of f and g lack, which no record
    has, the least value is no lower. *)
Theorem theorem_2_domain (R : realFieldType) (T K T' K' : finType) (o : table R T K)
    (f : T' -> T) (g : K' -> K) (m v v' : R) :
  nonneg o -> 0 < total o -> 0 < m -> injective f -> injective g ->
  (forall i j, o i j != 0 -> (i \in codom f) && (j \in codom g)) ->
  is_least (with_records m) (cap o) v ->
  is_least (with_records m) (cap (fun i j => o (f i) (g j))) v' -> v <= v'.
Proof.
move=> o0 n0 m0 f1 g1 zeros [_ v_le] [[s' s'm <-] _].
have part (A B : finType) (h : A -> B) (F : B -> R) : injective h ->
    (forall b, F b != 0 -> b \in codom h) -> \sum_b F b = \sum_a F (h a).
  move=> h1 F0; rewrite (bigID (mem (codom h))) /= [X in _ + X]big1 ?addr0; last first.
    by move=> b nb; apply/eqP; apply: contraNT nb => /F0.
  rewrite -[RHS](big_imset F (in2W h1)); apply: eq_bigl => b.
  by apply/codomP/imsetP => -[a]; exists a.
pose o' i j := o (f i) (g j); have o'0 : nonneg o' by move=> i j; exact: o0.
have same : total o = total o'.
  rewrite /total (part _ _ g) // => [|j].
    apply: eq_bigr => j _; rewrite /key_total (part _ _ f) // => i oij.
    by have /andP[] := zeros _ _ oij.
  apply: contraR => nj; apply/eqP; rewrite /key_total big1 // => i _.
  by apply/eqP; apply: contraR nj => /zeros/andP[].
have n'0 : 0 < total o' by rewrite -same.
have [[lo least] [lo' least']] := (least_cell o0 n0, least_cell o'0 n'0).
have [[s sm es] _] := theorem_2 o0 n0 m0 least; have [_ s'_le] := theorem_2 o'0 n'0 m0 least'.
apply: le_trans (v_le s sm) _; rewrite es; apply: le_trans (s'_le s' s'm).
rewrite same ler_pmul2r ?invr_gt0 //; have [[c _ <-] _] := least'.
by have [_ le] := least; exact: (le (f c.1, g c.2)).
Qed.

Section Theorem3.

Variables (R : realFieldType) (T K : finType) (o : table R T K).
Hypothesis o0 : nonneg o.
Implicit Types (s : table R T K).

(** The cells of keys that O has. *)
Definition has_key (c : T * K) := 0 < key_total o c.2.
Definition cell_share (c : T * K) := share o c.1 c.2.

(** Tables with m records and at least one matched original record. *)
Definition with_matched (m : R) s :=
  [/\ nonneg s, total s = m & 0 < matched_total o s].

(** Version 2 is a mean of the shares of O. *)
Lemma version_2_above x s : nonneg s ->
  correct o s - x * matched_total o s
    = \sum_(j | matched s j) \sum_i
        key_total o j * share s i j * (share o i j - x).
Proof.
move=> s0; rewrite /correct /matched_total mulr_sumr -sumrB.
apply: eq_bigr => j mj; rewrite -[X in _ - X]mulr1 -{1}(theorem_1 mj) mulr_sumr -sumrB.
apply: eq_bigr => i _; rewrite mulrBr; congr (_ - _).
  by rewrite -{1}(share_total i j o0) -mulrA mulrC.
by rewrite [RHS]mulrC [RHS]mulrA.
Qed.

Lemma version_2_term_ge0 x s i j : nonneg s ->
  (0 < key_total o j -> x <= share o i j) ->
  0 <= key_total o j * share s i j * (share o i j - x).
Proof.
move=> s0 le; have [/le xr|z] := ltP 0 (key_total o j).
  apply: mulr_ge0; last by rewrite subr_ge0.
  by apply: mulr_ge0; [exact: key_total_ge0 | exact: share_ge0].
have -> : key_total o j = 0 by apply/eqP; rewrite eq_le z key_total_ge0.
by rewrite !mul0r.
Qed.

Lemma version_2_lower x s : nonneg s -> 0 < matched_total o s ->
  (forall i j, 0 < key_total o j -> x <= share o i j) ->
  x <= cap_matched o s.
Proof.
move=> s0 nM le; rewrite ler_pdivl_mulr // -subr_ge0 version_2_above //.
apply: sumr_ge0 => j _; apply: sumr_ge0 => i _.
by apply: version_2_term_ge0 => //; exact: le.
Qed.

Lemma version_2_lower_eq x s : nonneg s -> 0 < matched_total o s ->
  (forall i j, 0 < key_total o j -> x <= share o i j) ->
  cap_matched o s = x <->
  forall i j, 0 < s i j -> 0 < key_total o j -> share o i j = x.
Proof.
move=> s0 nM le.
have term i j := version_2_term_ge0 s0 (le i j).
have eqv : cap_matched o s = x <-> correct o s - x * matched_total o s = 0.
  split=> [<-|/eqP]; first by rewrite divfK ?subrr ?gt_eqF.
  by rewrite subr_eq0 => /eqP e; rewrite /cap_matched e mulfK ?gt_eqF.
rewrite eqv version_2_above //; split=> [zero i j sij ok|support].
  have mj := matched_cell s0 sij.
  have zj : \sum_i key_total o j * share s i j * (share o i j - x) = 0.
    by apply: (psumr_eq0P _ zero) => // j' _; apply: sumr_ge0.
  have /eqP : key_total o j * share s i j * (share o i j - x) = 0.
    by apply: (psumr_eq0P _ zj).
  rewrite mulf_eq0 mulf_eq0 matched_share_eq0 // (gt_eqF sij) (gt_eqF ok) /= subr_eq0.
  by move/eqP.
apply: big1 => j mj; apply: big1 => i _.
have [ok|z] := ltP 0 (key_total o j); last first.
  have -> : key_total o j = 0 by apply/eqP; rewrite eq_le z key_total_ge0.
  by rewrite !mul0r.
have [sij|z] := ltP 0 (s i j); first by rewrite support ?subrr ?mulr0.
have -> : share s i j = 0; last by rewrite mulr0 mul0r.
by rewrite /share; have -> : s i j = 0 by [apply/eqP; rewrite eq_le z s0]; rewrite mul0r.
Qed.

(** Theorem 3: the least value, for every m, and exactly when. *)
Theorem theorem_3 (lo m : R) : 0 < m -> is_least has_key cell_share lo ->
  is_least (with_matched m) (cap_matched o) lo.
Proof.
move=> m0 [[[i k] /= ok e] lo_le]; split=> [|s [s0 sm nM]]; last first.
  by apply: version_2_lower => // i' j'; exact: (lo_le (i', j')).
exists (one_cell m i k).
  split; [exact/one_cell_nonneg/ltW | exact: one_cell_total |].
  by rewrite one_cell_matched_total.
by rewrite /cap_matched one_cell_correct // one_cell_matched_total.
Qed.

Theorem theorem_3_minimisers (lo m : R) s : is_least has_key cell_share lo ->
  with_matched m s ->
  cap_matched o s = lo <->
  forall i j, 0 < s i j -> 0 < key_total o j -> share o i j = lo.
Proof.
move=> [_ lo_le] [s0 _ nM]; apply: version_2_lower_eq => // i j.
exact: (lo_le (i, j)).
Qed.

(** The greatest value of version 2. *)
Theorem greatest_version_2 (hi m : R) : 0 < m ->
  is_greatest has_key cell_share hi ->
  is_greatest (with_matched m) (cap_matched o) hi.
Proof.
move=> m0 [[[i k] /= ok e] le_hi]; split=> [|s [s0 sm nM]]; last first.
  rewrite ler_pdivr_mulr // -subr_le0 version_2_above // -oppr_ge0 -sumrN.
  apply: sumr_ge0 => j _; rewrite -sumrN; apply: sumr_ge0 => i' _.
  rewrite -mulrN opprB; have [ok'|z] := ltP 0 (key_total o j).
    apply: mulr_ge0; last by rewrite subr_ge0; exact: (le_hi (i', j)).
    by apply: mulr_ge0; [exact: key_total_ge0 | exact: share_ge0].
  have -> : key_total o j = 0 by apply/eqP; rewrite eq_le z key_total_ge0.
  by rewrite !mul0r.
exists (one_cell m i k).
  split; [exact/one_cell_nonneg/ltW | exact: one_cell_total |].
  by rewrite one_cell_matched_total.
by rewrite /cap_matched one_cell_correct // one_cell_matched_total.
Qed.

End Theorem3.

Section GreatestVersion1.

Variables (R : realFieldType) (T K : finType) (o : table R T K).
Implicit Types (L : {set K}) (s : T -> K -> nat).

(** A table of whole counts, and its number of records. *)
Definition of_counts s : table R T K := fun i j => (s i j)%:R.
Definition records s := (\sum_j \sum_i s i j)%N.

Lemma of_counts_nonneg s : nonneg (of_counts s).
Proof. by move=> i j; exact: ler0n. Qed.

Lemma of_counts_matched s j :
  matched (of_counts s) j = (0 < \sum_i s i j)%N.
Proof. by rewrite /matched /key_total /of_counts -natr_sum ltr0n. Qed.

Lemma matched_keys_le s : (#|[set j | matched (of_counts s) j]| <= records s)%N.
Proof.
rewrite -sum1_card /records (bigID (mem [set j | matched (of_counts s) j]) xpredT) /=.
apply: leq_trans (leq_addr _ _); apply: leq_sum => j.
by rewrite inE of_counts_matched.
Qed.

(** L are keys with the largest values of hi. *)
Definition largest (hi : K -> R) L := forall j k, j \in L -> k \notin L -> hi k <= hi j.

Lemma largest_sum (hi : K -> R) L (M : {set K}) : (forall j, 0 <= hi j) ->
  largest hi L -> (#|M| <= #|L|)%N ->
  \sum_(j in M) hi j <= \sum_(j in L) hi j.
Proof.
move=> hi0 big le.
rewrite (big_setID L) [X in _ <= X](big_setID M) /= setIC ler_add2l.
have le' : (#|M :\: L| <= #|L :\: M|)%N.
  by rewrite -(leq_add2l #|M :&: L|) cardsID setIC cardsID.
have [e|/set0Pn[k0 k0M]] := eqVneq (M :\: L) set0.
  by rewrite e big_set0 sumr_ge0.
have [x [[k kM ek] x_max]] := @greatest_exists R _ (mem (M :\: L)) hi k0 k0M.
apply: (@le_trans _ _ (x *+ #|M :\: L|)).
  by rewrite -sumr_const ler_sum // => j jM; exact: x_max.
have x0 : 0 <= x by rewrite -ek.
apply: (@le_trans _ _ (x *+ #|L :\: M|)); first by rewrite ler_wpmuln2l.
rewrite -sumr_const ler_sum // => j /setDP[jL _].
by rewrite -ek; apply: big => //; have /setDP[] := kM.
Qed.

(** Lemma 1, part 5: with m records the greatest version 1 is the sum of the
    min(m, J) largest of the greatest counts of the keys, over n. *)
Theorem greatest_version_1 (hi : K -> R) L m : nonneg o -> 0 < total o ->
  (0 < m)%N ->
  (forall j, is_greatest (fun=> True) (o^~ j) (hi j)) ->
  largest hi L -> #|L| = minn m #|K| ->
  is_greatest (fun s => records s = m) (fun s => cap o (of_counts s))
    ((\sum_(j in L) hi j) / total o).
Proof.
move=> o0 n0 m0 hi_most big cL.
have le_hi i j : o i j <= hi j by case: (hi_most j) => _; apply.
have at_ j : exists i, o i j == hi j.
  by case: (hi_most j) => -[i _ e] _; exists i; apply/eqP.
have hi0 j : 0 <= hi j by have [i /eqP <-] := at_ j.
split=> [|s sm]; last first.
  rewrite ler_pmul2r ?invr_gt0 //.
  apply: le_trans (correct_upper (of_counts_nonneg s) le_hi) _.
  rewrite (eq_bigl (mem [set j | matched (of_counts s) j])) => [|j]; last by rewrite /= inE.
  by apply: largest_sum => //; rewrite cL leq_min -sm matched_keys_le max_card.
pose t j := xchoose (at_ j).
have [k0 k0L] : exists k, k \in L.
  apply/set0Pn; rewrite -card_gt0 cL leq_min m0 /=.
  have [k _] : exists k : K, true.
    have [|k _] := matched_exists o0; [exact: n0 | by exists k].
  by apply/card_gt0P; exists k.
pose s i j := (if i == t j then (j \in L) + (if j == k0 then m - #|L| else 0) else 0)%N.
have s_key j : (\sum_i s i j = (j \in L) + (if j == k0 then m - #|L| else 0))%N.
  rewrite (bigD1 (t j)) //= /s eqxx big1 ?addn0 // => i /negbTE -> //.
have Lm : (#|L| <= m)%N by rewrite cL geq_minl.
exists s.
  rewrite /records (eq_bigr _ (fun j _ => s_key j)) big_split /=.
  rewrite -big_mkcond /= sum1_card -big_mkcond /= big_pred1_eq.
  by rewrite subnKC.
congr (_ / _).
rewrite (correct_upper_eq (of_counts_nonneg s) le_hi).2 => [|i j]; last first.
  rewrite /of_counts /s ltr0n; case: eqP => // -> _.
  exact/eqP/(xchooseP (at_ j)).
apply: eq_bigl => j; rewrite of_counts_matched s_key.
case: (boolP (j \in L)) => //= jL; rewrite add0n.
by case: eqP => // e; rewrite e k0L in jL.
Qed.

End GreatestVersion1.

(** The same extremes over tables of whole counts. *)
Section TablesOfCounts.

Variables (R : realFieldType) (T K : finType) (o : table R T K).
Implicit Type s : T -> K -> nat.
Hypotheses (o0 : nonneg o) (n0 : 0 < total o).

Definition counts_with_key_totals (m : K -> nat) s := forall j, (\sum_i s i j = m j)%N.

Lemma of_counts_key_totals m s : counts_with_key_totals m s ->
  with_key_totals (fun j => (m j)%:R) (of_counts R s).
Proof.
by move=> sm; split=> [|j]; [exact: of_counts_nonneg | rewrite /key_total -natr_sum sm].
Qed.

Lemma of_counts_total s : total (of_counts R s) = (records s)%:R.
Proof. by rewrite natr_sum; apply: eq_bigr => j _; rewrite natr_sum. Qed.

Lemma counts_in_cells (m : K -> nat) (v : K -> R) : (forall j, exists2 i, True & o i j = v j) ->
  exists2 s, counts_with_key_totals m s & forall i j, 0 < of_counts R s i j -> o i j = v j.
Proof.
move=> at_; have at' j : exists i, o i j == v j by have [i _ e] := at_ j; exists i; apply/eqP.
pose t j := xchoose (at' j); exists (fun i j => if i == t j then m j else 0%N) => [j|i j].
  by rewrite (bigD1 (t j)) //= eqxx big1 ?addn0 // => i /negbTE ->.
by rewrite ltr0n; case: eqP => // -> _; exact/eqP/(xchooseP (at' j)).
Qed.

Lemma positive_counts (m : K -> nat) (f : K -> R) :
  \sum_(j | (0 < m j)%N) f j = \sum_(j | 0 < (m j)%:R :> R) f j.
Proof. by apply: eq_bigl => j; rewrite ltr0n. Qed.

Theorem lemma_1_counts (m : K -> nat) (lo : K -> R) :
  (forall j, is_least (fun=> True) (o^~ j) (lo j)) ->
  is_least (counts_with_key_totals m) (fun s => cap o (of_counts R s))
    ((\sum_(j | (0 < m j)%N) lo j) / total o).
Proof.
move=> least; rewrite positive_counts.
split=> [|s /of_counts_key_totals ms]; last by have [] := lemma_1 n0 least ms.
have [s sm cells] := counts_in_cells m (fun j => (least j).1); exists s => //.
by have [_ [_ ->]] := lemma_1 n0 least (of_counts_key_totals sm).
Qed.

Theorem lemma_1_greatest_counts (m : K -> nat) (hi : K -> R) :
  (forall j, is_greatest (fun=> True) (o^~ j) (hi j)) ->
  is_greatest (counts_with_key_totals m) (fun s => cap o (of_counts R s))
    ((\sum_(j | (0 < m j)%N) hi j) / total o).
Proof.
move=> most; rewrite positive_counts.
split=> [|s /of_counts_key_totals ms]; last by have [] := lemma_1_greatest n0 most ms.
have [s sm cells] := counts_in_cells m (fun j => (most j).1); exists s => //.
by have [_ [_ ->]] := lemma_1_greatest n0 most (of_counts_key_totals sm).
Qed.

(** Part 4: both bounds of version 2 are attained. *)
Theorem lemma_1_version_2_counts (m : K -> nat) (lo hi : K -> R) :
  let nM := \sum_(j | (0 < m j)%N) key_total o j in 0 < nM ->
  (forall j, is_least (fun=> True) (o^~ j) (lo j)) ->
  (forall j, is_greatest (fun=> True) (o^~ j) (hi j)) ->
  is_least (counts_with_key_totals m) (fun s => cap_matched o (of_counts R s))
    ((\sum_(j | (0 < m j)%N) lo j) / nM) /\
  is_greatest (counts_with_key_totals m) (fun s => cap_matched o (of_counts R s))
    ((\sum_(j | (0 < m j)%N) hi j) / nM).
Proof.
rewrite /= !positive_counts => nM0 least most.
have bounds s sm := lemma_1_version_2 nM0 least most (@of_counts_key_totals m s sm).
split; split=> [|s /bounds[/andP[]] //].
  have [s sm cells] := counts_in_cells m (fun j => (least j).1); exists s => //.
  by have [_ [[_ ->]]] := bounds s sm.
have [s sm cells] := counts_in_cells m (fun j => (most j).1); exists s => //.
by have [_ [_ [_ ->]]] := bounds s sm.
Qed.

(** All m records in one cell. *)
Lemma counts_in_cell (m : nat) i k : (0 < m)%N -> exists2 s, records s = m &
  [/\ correct o (of_counts R s) = o i k & matched_total o (of_counts R s) = key_total o k].
Proof.
move=> m0; pose s i' j := if (i' == i) && (j == k) then m else 0%N.
have cell_of i' j : of_counts R s i' j = one_cell m%:R i k i' j.
  by rewrite /s /one_cell /one_target /of_counts; do 2 case: eqP.
have keys j : key_total (of_counts R s) j = key_total (one_cell m%:R i k : table R T K) j.
  by apply: eq_bigr => i' _.
have m0' : 0 < m%:R :> R by rewrite ltr0n.
exists s.
  rewrite /records (bigD1 k) //= (bigD1 i) //= /s !eqxx big1 => [|i' /negbTE ->] //.
  by rewrite big1 ?addn0 // => j /negbTE ne; rewrite big1 // => i' _; rewrite ne andbF.
have matched_is j : matched (of_counts R s) j = matched (one_cell m%:R i k : table R T K) j.
  by rewrite /matched keys.
split; last by rewrite -(one_cell_matched_total o i k m0'); apply: eq_bigl.
rewrite -(one_cell_correct o i k m0'); apply: eq_big => // j _.
by apply: eq_bigr => i' _; rewrite /share keys cell_of.
Qed.

Theorem theorem_2_counts (m : nat) (lo : R) : (0 < m)%N ->
  is_least (fun=> True) (cell o) lo ->
  is_least (fun s => records s = m) (fun s => cap o (of_counts R s)) (lo / total o).
Proof.
move=> m0 least; have m0' : 0 < m%:R :> R by rewrite ltr0n.
split=> [|s sm].
  have [[[i k] _ /= e] _] := least; have [s sm [c _]] := counts_in_cell i k m0.
  by exists s => //; rewrite /cap c -e.
have [_ le] := theorem_2 o0 n0 m0' least; apply: le.
by split; [exact: of_counts_nonneg | rewrite of_counts_total sm].
Qed.

Definition counts_with_matched (m : nat) s := records s = m /\ 0 < matched_total o (of_counts R s).

Lemma of_counts_with_matched m s : counts_with_matched m s -> with_matched o m%:R (of_counts R s).
Proof. by move=> [sm nM]; split; [exact: of_counts_nonneg | rewrite of_counts_total sm |]. Qed.

Theorem theorem_3_counts (m : nat) (lo : R) : (0 < m)%N ->
  is_least (has_key o) (cell_share o) lo ->
  is_least (counts_with_matched m) (fun s => cap_matched o (of_counts R s)) lo.
Proof.
move=> m0 least; have m0' : 0 < m%:R :> R by rewrite ltr0n.
split=> [|s /of_counts_with_matched ms]; last by have [_ le] := theorem_3 o0 m0' least; exact: le.
have [[[i k] /= ok e] _] := least; have [s sm [c nM]] := counts_in_cell i k m0.
by exists s; [split; rewrite ?nM | rewrite /cap_matched c nM].
Qed.

Theorem greatest_version_2_counts (m : nat) (hi : R) : (0 < m)%N ->
  is_greatest (has_key o) (cell_share o) hi ->
  is_greatest (counts_with_matched m) (fun s => cap_matched o (of_counts R s)) hi.
Proof.
move=> m0 most; have m0' : 0 < m%:R :> R by rewrite ltr0n.
split=> [|s /of_counts_with_matched ms]; last by have [_ le] := greatest_version_2 o0 m0' most; exact: le.
have [[[i k] /= ok e] _] := most; have [s sm [c nM]] := counts_in_cell i k m0.
by exists s; [split; rewrite ?nM | rewrite /cap_matched c nM].
Qed.

(** Sets of n keys with the largest values exist, as `greatest_version_1` assumes. *)
Theorem largest_exists (hi : K -> R) n : (n <= #|K|)%N -> exists2 L, largest hi L & #|L| = n.
Proof.
elim: n => [_|n IH nK]; first by exists set0; rewrite ?cards0 // => j k; rewrite inE.
have [L big cL] := IH (ltnW nK).
have /set0Pn[j0 j0L] : ~: L != set0 by rewrite -card_gt0 -(ltn_add2l #|L|) cardsC addn0 cL.
have [x [[j jL ej] most]] := @greatest_exists R _ (mem (~: L)) hi j0 j0L.
have nj : j \notin L by move: jL; rewrite /= inE.
exists (j |: L); last by rewrite cardsU1 nj cL.
move=> i k; rewrite !inE negb_or => /orP[/eqP ->|iL] /andP[_ kL]; last exact: big.
by rewrite ej; apply: most; rewrite /= inE.
Qed.

End TablesOfCounts.
