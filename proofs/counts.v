(** * Counts, shares and average CAP

    Chapter: theory/cap.md, statements average-cap and theorem-1.

    In words. A table gives each target i and key j a number of records, or a
    sum of weights: nonnegative numbers of any ordered field. The individual
    CAP of an original record in cell (i, j) is the share of the synthetic
    records with key j that have target i, and 0 if there is none with key j
    (here x / 0 = 0). Average CAP is its mean over all original records
    (version 1) or over those with a matched key (version 2). Where no record is
    matched, version 2 is undefined on paper and NaN in capstats; here it is 0,
    as x / 0 = 0, and the theorems on its value assume a matched record.

    - A sum over people is the sum over cells weighted by the counts; so
      average CAP is the mean of individual CAP over people.
    - Theorem 1: the individual CAPs of a matched key add up to 1; of an
      unmatched key, to 0.
    - Version 1 is version 2 times the matched share. Both lie between 0 and 1.
      They are equal exactly when all records are matched or nothing is right.
    - Average CAP adds over parts of the original, weighted by their numbers
      of records. *)

From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.

Variables (R : realFieldType) (T K : finType).

(** Rows are targets, columns are keys. *)
Definition table := T -> K -> R.

Implicit Types (o s : table) (i : T) (j : K).

Definition nonneg s := forall i j, 0 <= s i j.
Definition key_total s j := \sum_i s i j.
Definition target_total s i := \sum_j s i j.
Definition total s := \sum_j key_total s j.
Definition matched s : pred K := fun j => 0 < key_total s j.
Definition share s i j := s i j / key_total s j.

(** The expected number of correct attributions, and the matched records. *)
Definition correct o s := \sum_(j | matched s j) \sum_i o i j * share s i j.
Definition matched_total o s := \sum_(j | matched s j) key_total o j.

(** Average CAP, version 1 and version 2. *)
Definition cap o s := correct o s / total o.
Definition cap_matched o s := correct o s / matched_total o s.

(** The counts of people, who have targets and keys. *)
Definition count (P : finType) (target : P -> T) (key : P -> K) : table :=
  fun i j => #|[set x | (target x == i) && (key x == j)]|%:R.

End Definitions.

Section Sums.

Variables (R : realFieldType) (T K : finType).
Implicit Types (o s : table R T K) (i : T) (j : K).

Lemma key_total_ge0 s j : nonneg s -> 0 <= key_total s j.
Proof. by move=> s0; apply: sumr_ge0 => i _; exact: s0. Qed.

Lemma total_ge0 s : nonneg s -> 0 <= total s.
Proof. by move=> s0; apply: sumr_ge0 => j _; exact: key_total_ge0. Qed.

Lemma unmatched_total s j : nonneg s -> ~~ matched s j -> key_total s j = 0.
Proof.
move=> s0 nm; apply/eqP; rewrite eq_le key_total_ge0 // andbT leNgt; exact: nm.
Qed.

Lemma unmatched_cell s i j : nonneg s -> ~~ matched s j -> s i j = 0.
Proof.
move=> s0 nm; have := unmatched_total s0 nm.
by move/psumr_eq0P => H; apply: H => // k _; exact: s0.
Qed.

Lemma unmatched_share s i j : nonneg s -> ~~ matched s j -> share s i j = 0.
Proof. by move=> s0 nm; rewrite /share (unmatched_cell _ s0 nm) mul0r. Qed.

Lemma share_ge0 s i j : nonneg s -> 0 <= share s i j.
Proof. by move=> s0; rewrite divr_ge0 // key_total_ge0. Qed.

Lemma cell_le_key_total s i j : nonneg s -> s i j <= key_total s j.
Proof.
by move=> s0; rewrite /key_total (bigD1 i) //= ler_addl sumr_ge0.
Qed.

Lemma matched_cell s i j : nonneg s -> 0 < s i j -> matched s j.
Proof. by move=> s0 sij; apply: lt_le_trans sij (cell_le_key_total _ _ s0). Qed.

Lemma key_total_le_total s j : nonneg s -> key_total s j <= total s.
Proof.
move=> s0; rewrite /total (bigD1 j) //= ler_addl sumr_ge0 // => k _.
exact: key_total_ge0.
Qed.

Lemma matched_exists s : nonneg s -> 0 < total s -> exists j, matched s j.
Proof.
move=> s0 tot; have [/existsP //|] := boolP [exists j, matched s j].
rewrite negb_exists => /forallP nm; move: tot.
rewrite /total big1 ?ltxx // => j _; exact: unmatched_total.
Qed.

(** Both ways to add up a table. *)
Lemma total_targets s : total s = \sum_i target_total s i.
Proof. exact: exchange_big. Qed.

(** Unmatched keys add nothing, as x / 0 = 0. *)
Lemma correct_all o s : nonneg s ->
  correct o s = \sum_j \sum_i o i j * share s i j.
Proof.
move=> s0; rewrite /correct [RHS](bigID (matched s)) /=.
rewrite [X in _ = _ + X]big1 ?addr0 // => j nm; apply: big1 => i _.
by rewrite (unmatched_share i s0 nm) mulr0.
Qed.

Lemma share_total s i j : nonneg s -> share s i j * key_total s j = s i j.
Proof.
move=> s0; have [m|nm] := boolP (matched s j); first by rewrite divfK // gt_eqF.
by rewrite (unmatched_share i s0 nm) (unmatched_cell i s0 nm) mul0r.
Qed.

Lemma matched_share_eq0 s i j : nonneg s -> matched s j ->
  (share s i j == 0) = (s i j == 0).
Proof.
move=> s0 m; rewrite mulf_eq0 invr_eq0.
by rewrite [X in _ || X]gt_eqF ?orbF.
Qed.

Lemma correct_ge0 o s : nonneg o -> nonneg s -> 0 <= correct o s.
Proof.
move=> o0 s0; apply: sumr_ge0 => j _; apply: sumr_ge0 => i _.
by rewrite mulr_ge0 // share_ge0.
Qed.

Lemma matched_total_ge0 o s : nonneg o -> 0 <= matched_total o s.
Proof. by move=> o0; apply: sumr_ge0 => j _; exact: key_total_ge0. Qed.

Lemma matched_total_le o s : nonneg o -> matched_total o s <= total o.
Proof.
move=> o0; rewrite /total [X in _ <= X](bigID (matched s)) /= ler_addl.
by apply: sumr_ge0 => j _; exact: key_total_ge0.
Qed.

End Sums.

Section Records.

Variables (R : realFieldType) (T K P : finType).
Variables (target : P -> T) (key : P -> K).

Let o := count R target key.

Lemma count_ge0 : nonneg o.
Proof. by move=> i j; rewrite ler0n. Qed.

(** A sum over people is a sum over cells. *)
Lemma sum_people (f : T -> K -> R) :
  \sum_x f (target x) (key x) = \sum_j \sum_i o i j * f i j.
Proof.
rewrite (partition_big key xpredT) //=; apply: eq_bigr => j _.
rewrite (partition_big target xpredT) //=; apply: eq_bigr => i _.
rewrite (eq_bigr (fun=> f i j)) => [|x /andP[/eqP -> /eqP ->] //].
rewrite big_const iter_addr_0 /o /count mulr_natl cardsE; congr (_ *+ _).
by apply: eq_card => x; rewrite !unfold_in /= andbC.
Qed.

Lemma key_total_count j : key_total o j = #|[set x | key x == j]|%:R.
Proof.
transitivity (\sum_x (key x == j)%:R : R).
  rewrite (sum_people (fun _ k => (k == j)%:R)) (bigD1 j) //=.
  rewrite [X in _ = _ + X]big1 => [|k /negbTE kj]; last first.
    by apply: big1 => i _; rewrite kj mulr0.
  by rewrite addr0; apply: eq_bigr => i _; rewrite eqxx mulr1.
rewrite -natr_sum; congr (_%:R).
by rewrite -big_mkcond /= sum1dep_card cardsE.
Qed.

Lemma total_count : total o = #|P|%:R.
Proof.
transitivity (\sum_(x : P) 1 : R); last by rewrite sumr_const.
rewrite (sum_people (fun _ _ => 1)); apply: eq_bigr => j _.
by apply: eq_bigr => i _; rewrite mulr1.
Qed.

End Records.

Section AverageCap.

Variables (R : realFieldType) (T K : finType).

(** Definition 1: the share of the synthetic records with the key of x that
    have the target of x, counted record by record, is the share of the cell. *)
Theorem individual_cap (Y : finType) (target : Y -> T) (key : Y -> K) i j :
  #|[set y | (target y == i) && (key y == j)]|%:R
    / #|[set y | key y == j]|%:R = share (count R target key) i j.
Proof. by rewrite /share key_total_count. Qed.

(** Definition 2: version 1 is the mean over all people. *)
Theorem average_over_people (P : finType) (target : P -> T) (key : P -> K)
    (s : table R T K) : (0 < #|P|)%N -> nonneg s ->
  (\sum_x share s (target x) (key x)) / #|P|%:R
    = cap (count R target key) s.
Proof.
move=> _ s0; rewrite /cap total_count correct_all //.
by congr (_ / _); exact: sum_people.
Qed.

(** Definition 3: version 2 is the mean over the people with a matched key. *)
Theorem average_over_matched (P : finType) (target : P -> T) (key : P -> K)
    (s : table R T K) :
  (0 < #|[set x | matched s (key x)]|)%N -> nonneg s ->
  (\sum_(x | matched s (key x)) share s (target x) (key x))
    / #|[set x | matched s (key x)]|%:R = cap_matched (count R target key) s.
Proof.
move=> _ s0; rewrite /cap_matched; congr (_ / _).
  rewrite big_mkcond /=.
  rewrite (sum_people target key (fun i j => if matched s j then share s i j else 0)).
  rewrite [RHS]big_mkcond /=; apply: eq_bigr => j _.
  by case: ifP => // _; apply: big1 => i _; rewrite mulr0.
transitivity (\sum_x (matched s (key x))%:R : R).
  rewrite -natr_sum; congr (_%:R).
  by rewrite -big_mkcond /= sum1dep_card cardsE.
rewrite (sum_people target key (fun _ j => (matched s j)%:R)).
rewrite /matched_total [RHS]big_mkcond /=; apply: eq_bigr => j _.
case: ifP => mj; last by apply: big1 => i _; rewrite mulr0.
by apply: eq_bigr => i _; rewrite mulr1.
Qed.

Implicit Types (o s : table R T K).

(** Theorem 1. *)
Theorem theorem_1 s j : matched s j -> \sum_i share s i j = 1.
Proof. by move=> m; rewrite -mulr_suml divff // gt_eqF. Qed.

Theorem theorem_1_unmatched s j : nonneg s -> ~~ matched s j ->
  \sum_i share s i j = 0.
Proof. by move=> s0 m; apply: big1 => i _; exact: unmatched_share. Qed.

(** Its consequence: at a key that two releases have, the changes of the
    individual CAPs add up to 0, so one falls only if another rises. *)
Theorem theorem_1_changes s s' j : matched s j -> matched s' j ->
  \sum_i (share s' i j - share s i j) = 0.
Proof. by move=> m m'; rewrite sumrB !theorem_1 // subrr. Qed.

Theorem theorem_1_no_fall_alone s s' j i : matched s j -> matched s' j ->
  share s' i j < share s i j -> exists k, share s k j < share s' k j.
Proof.
move=> m m' fall.
have [/existsP //|] := boolP [exists k, share s k j < share s' k j].
rewrite negb_exists => /forallP nf.
have := theorem_1_changes m m'; rewrite (bigD1 i) //= => /eqP.
rewrite lt_eqF // -[ltRHS]addr0 ltr_le_add ?subr_lt0 //.
by rewrite -oppr_ge0 -sumrN sumr_ge0 // => k _; rewrite oppr_ge0 subr_le0 leNgt.
Qed.

Lemma share_le1 s i j : nonneg s -> share s i j <= 1.
Proof.
move=> s0; have [m|m] := boolP (matched s j); last by rewrite (unmatched_share i s0 m) ler01.
rewrite -(theorem_1 m) (bigD1 i) //= ler_addl sumr_ge0 // => k _.
exact: share_ge0.
Qed.

(** Part 4: at most as many are right as are matched. *)
Theorem correct_le_matched o s : nonneg o -> nonneg s ->
  correct o s <= matched_total o s.
Proof.
move=> o0 s0; apply: ler_sum => j _; apply: ler_sum => i _.
by rewrite ler_pimulr // share_le1.
Qed.

Theorem cap_bounds o s : nonneg o -> 0 < total o -> nonneg s ->
  0 <= cap o s <= 1.
Proof.
move=> o0 n0 s0; rewrite divr_ge0 ?correct_ge0 ?total_ge0 //=.
rewrite ler_pdivr_mulr // mul1r.
exact: le_trans (correct_le_matched o0 s0) (matched_total_le s o0).
Qed.

Theorem cap_matched_bounds o s : nonneg o -> 0 < matched_total o s ->
  nonneg s -> 0 <= cap_matched o s <= 1.
Proof.
move=> o0 nM s0; rewrite divr_ge0 ?correct_ge0 ?matched_total_ge0 //=.
rewrite ler_pdivr_mulr // mul1r.
exact: correct_le_matched.
Qed.

(** Part 3: version 1 is version 2 times the matched share. *)
Theorem version_1_of_version_2 o s : nonneg o -> 0 < matched_total o s ->
  cap o s = cap_matched o s * (matched_total o s / total o).
Proof.
by move=> o0 nM; rewrite /cap /cap_matched mulrA divfK // gt_eqF.
Qed.

Theorem version_1_unmatched o s : nonneg o -> nonneg s ->
  matched_total o s = 0 -> cap o s = 0.
Proof.
move=> o0 s0 nM; rewrite /cap; suff -> : correct o s = 0 by rewrite mul0r.
apply/eqP; rewrite eq_le correct_ge0 // andbT -nM.
exact: correct_le_matched.
Qed.

Theorem version_1_le_version_2 o s : nonneg o -> nonneg s ->
  0 < matched_total o s -> cap o s <= cap_matched o s.
Proof.
move=> o0 s0 nM; have n0 := lt_le_trans nM (matched_total_le s o0).
rewrite ler_wpmul2l ?correct_ge0 // lef_pinv ?posrE //.
exact: matched_total_le.
Qed.

Theorem versions_equal o s : nonneg o -> nonneg s -> 0 < matched_total o s ->
  (cap o s == cap_matched o s)
    = (matched_total o s == total o) || (correct o s == 0).
Proof.
move=> o0 s0 nM; have n0 := lt_le_trans nM (matched_total_le s o0).
rewrite /cap /cap_matched -[LHS]subr_eq0 -mulrBr mulf_eq0 subr_eq0 orbC.
by rewrite (inj_eq invr_inj) [total o == _]eq_sym.
Qed.

(** Part 4: S enters through its shares only, which say what keys are matched. *)
Theorem cap_of_shares o s s' : nonneg s -> nonneg s' ->
  (forall i j, share s i j = share s' i j) ->
  cap o s = cap o s' /\ cap_matched o s = cap_matched o s'.
Proof.
move=> s0 s0' es; have em : matched s =1 matched s'.
  move=> j; have e : \sum_i share s i j = \sum_i share s' i j by apply: eq_bigr.
  have [m|m] := boolP (matched s j); have [m'|m'] := boolP (matched s' j) => //;
    move/eqP: e; rewrite ?(theorem_1 m) ?(theorem_1 m') ?theorem_1_unmatched //.
    by rewrite oner_eq0.
  by rewrite eq_sym oner_eq0.
have ec : correct o s = correct o s'.
  rewrite /correct (eq_bigl _ _ em); apply: eq_bigr => j _.
  by apply: eq_bigr => i _; rewrite es.
by rewrite /cap /cap_matched ec /matched_total (eq_bigl _ _ em).
Qed.

(** Part 5: the three sums add over parts of the original. *)
Theorem correct_add o o' s :
  correct (fun i j => o i j + o' i j) s = correct o s + correct o' s.
Proof.
rewrite /correct -big_split; apply: eq_bigr => j _ /=.
by rewrite -big_split; apply: eq_bigr => i _ /=; rewrite mulrDl.
Qed.

Lemma key_total_add o o' j :
  key_total (fun i j => o i j + o' i j) j = key_total o j + key_total o' j.
Proof. exact: big_split. Qed.

Theorem total_add o o' :
  total (fun i j => o i j + o' i j) = total o + total o'.
Proof.
by rewrite /total -big_split; apply: eq_bigr => j _; exact: key_total_add.
Qed.

Theorem matched_total_add o o' s :
  matched_total (fun i j => o i j + o' i j) s
    = matched_total o s + matched_total o' s.
Proof.
rewrite /matched_total -big_split; apply: eq_bigr => j _.
exact: key_total_add.
Qed.

Theorem cap_adds o o' s : 0 < total o -> 0 < total o' ->
  cap (fun i j => o i j + o' i j) s
    = (total o * cap o s + total o' * cap o' s) / (total o + total o').
Proof.
move=> n0 n0'; rewrite /cap correct_add total_add; congr (_ / _).
by rewrite !mulrA ![total _ * _]mulrC !mulfK ?gt_eqF.
Qed.

Theorem cap_matched_adds o o' s : nonneg o -> nonneg o' -> nonneg s ->
  0 < matched_total o s + matched_total o' s ->
  cap_matched (fun i j => o i j + o' i j) s
    = (matched_total o s * cap_matched o s
       + matched_total o' s * cap_matched o' s)
      / (matched_total o s + matched_total o' s).
Proof.
move=> o0 o0' s0 nM; rewrite /cap_matched correct_add matched_total_add.
have part p : nonneg p -> matched_total p s * (correct p s / matched_total p s)
    = correct p s.
  move=> p0; have [e|ne] := eqVneq (matched_total p s) 0.
    have : correct p s = 0; last by move=> ->; rewrite mul0r mulr0.
    apply/eqP; rewrite eq_le correct_ge0 // andbT -e.
    exact: correct_le_matched.
  by rewrite mulrC divfK.
by rewrite !part.
Qed.

End AverageCap.
