(** * False claims, refuted on small tables

    Chapter: theory/cap.md, statements average-cap and theorem-1;
    theory/attainable.md, statements lemma-1 and theorem-2; and
    theory/baselines.md, statement baselines.

    In words. Each claim is near to a theorem: an inequality reversed, a
    hypothesis left out, another denominator, versions exchanged. A table of two
    targets and two keys with rational entries refutes it, and its numbers are
    those of numbers.v. *)

From Coq Require Import BinNat.
From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import counts attainable baselines numbers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Refuted.

Let T := [finType of 'I_2].
Let F := [realFieldType of rat].
Let two columns : table F T T := @rational 2 2 columns.

(** All counts 1; the first key only; pure keys; the other target in each; none. *)
Let ones := [:: [:: 1; 1]; [:: 1; 1]]%N.
Let left_key := [:: [:: 1; 1]; [:: 0; 0]]%N.
Let pure := [:: [:: 1; 0]; [:: 0; 1]]%N.
Let crossed := [:: [:: 0; 1]; [:: 1; 0]]%N.
Let none := [:: [:: 0; 0]; [:: 0; 0]]%N.
Let mixed := [:: [:: 2; 1]; [:: 0; 0]]%N.
Let modal := [:: [:: 1; 0]; [:: 0; 0]]%N.
Let first := [:: [:: 1; 0]; [:: 1; 0]]%N.
Let second := [:: [:: 0; 1]; [:: 0; 0]]%N.

Let two_ge0 s : nonneg (two s).
Proof. exact: written_nonneg. Qed.
Let key_of s j : shaped 2 2 s -> key_total (two s) j = (sumn (nth [::] s j))%:R.
Proof. exact: written_key_total. Qed.
Let total_of s : shaped 2 2 s -> total (two s) = (sumn (map sumn s))%:R.
Proof. exact: written_total. Qed.
Let matched_of o s : shaped 2 2 o -> shaped 2 2 s -> matched_total (two o) (two s)
  = (sumn [seq if (0 < sumn p.2)%N then sumn p.1 else 0%N | p <- zip o s])%:R.
Proof. exact: written_matched_total. Qed.
Let cap_of a b o s : shaped 2 2 o -> shaped 2 2 s -> same (cap_quotient o s) a b ->
  cap (two o) (two s) = a%:R / b%:R.
Proof. exact: cap_is. Qed.
Let cap_matched_of a b o s : shaped 2 2 o -> shaped 2 2 s ->
  same (cap_matched_quotient o s) a b -> cap_matched (two o) (two s) = a%:R / b%:R.
Proof. exact: cap_matched_is. Qed.
Let baseline_of a b o : shaped 2 2 o ->
  same (over (bin_of_nat (squares 2 o), 1%num) ((sumn (map sumn o)) ^ 2)) a b ->
  marginal_baseline (two o) = a%:R / b%:R.
Proof. exact: marginal_baseline_is. Qed.
Let share_of s i j : shaped 2 2 s ->
  share (two s) i j = (nth 0%N (nth [::] s j) i)%:R / (sumn (nth [::] s j))%:R.
Proof. by move=> sh; rewrite /share key_of. Qed.

(** Theorem 1. *)
Theorem not_theorem_1_unmatched : ~ forall (s : table F T T) j, nonneg s ->
  \sum_i share s i j = 1.
Proof.
move=> /(_ (two none) ord0 (two_ge0 _)); rewrite theorem_1_unmatched //.
by rewrite /matched key_of.
Qed.

Theorem not_theorem_1_changes : ~ forall (s s' : table F T T) j, matched s j -> nonneg s' ->
  \sum_i (share s' i j - share s i j) = 0.
Proof.
move=> /(_ (two ones) (two none) ord0 _ (two_ge0 _)).
rewrite /matched key_of // => /(_ isT)/eqP; rewrite big_ord_recl big_ord1.
by rewrite !(@share_of ones _ _ isT) !(@share_of none _ _ isT); vm_compute.
Qed.

Theorem not_theorem_1_no_fall_alone : ~ forall (s s' : table F T T) j i,
  matched s j -> matched s' j -> share s' i j < share s i j ->
  exists2 k, k != i & share s' k j < share s k j.
Proof.
move=> /(_ (two pure) (two crossed) ord0 ord0); rewrite /matched !key_of // !share_of //.
move=> /(_ isT isT isT)[k]; rewrite !share_of //.
by case: k => -[|[|//]].
Qed.

(** Average CAP. *)
Theorem not_correct_ge_matched : ~ forall o s : table F T T, nonneg o -> nonneg s ->
  matched_total o s <= correct o s.
Proof.
move=> /(_ (two ones) (two left_key) (two_ge0 _) (two_ge0 _)) le.
have n0 : 0 <= (total (two ones))^-1 by rewrite total_of.
have := ler_wpmul2r n0 le; rewrite -/(cap _ _) (@matched_of ones left_key isT isT).
by rewrite (@total_of ones isT) (@cap_of 1 4 ones left_key isT isT isT); vm_compute.
Qed.

Theorem not_version_2_le_version_1 : ~ forall o s : table F T T, nonneg o -> nonneg s ->
  0 < matched_total o s -> cap_matched o s <= cap o s.
Proof.
move=> /(_ (two ones) (two left_key) (two_ge0 _) (two_ge0 _)); rewrite (@matched_of ones left_key isT isT).
by rewrite (@cap_of 1 4 ones left_key isT isT isT) (@cap_matched_of 1 2 ones left_key isT isT isT) => /(_ isT); vm_compute.
Qed.

Theorem not_version_1_of_version_2 : ~ forall o s : table F T T, nonneg o ->
  0 < matched_total o s -> cap o s = cap_matched o s * (total o / matched_total o s).
Proof.
move=> /(_ (two ones) (two left_key) (two_ge0 _)); rewrite (@matched_of ones left_key isT isT) (@total_of ones isT).
rewrite (@cap_of 1 4 ones left_key isT isT isT) (@cap_matched_of 1 2 ones left_key isT isT isT).
by move=> /(_ isT)/eqP; vm_compute.
Qed.

Theorem not_versions_equal : ~ forall o s : table F T T, nonneg o -> nonneg s ->
  0 < matched_total o s -> (cap o s == cap_matched o s) = (matched_total o s == total o).
Proof.
move=> /(_ (two first) (two second) (two_ge0 _) (two_ge0 _)); rewrite (@matched_of first second isT isT) (@total_of first isT).
by rewrite (@cap_of 0 1 first second isT isT isT) (@cap_matched_of 0 1 first second isT isT isT) => /(_ isT); vm_compute.
Qed.

Theorem not_version_1_unmatched : ~ forall o s : table F T T, nonneg o -> nonneg s ->
  matched_total o s = 0 -> cap o s = 1.
Proof.
move=> /(_ (two ones) (two none) (two_ge0 _) (two_ge0 _)); rewrite (@matched_of ones none isT isT).
by rewrite (@cap_of 0 1 ones none isT isT isT) => /(_ erefl)/eqP; vm_compute.
Qed.

Theorem not_cap_positive : ~ forall o s : table F T T, nonneg o -> 0 < total o -> nonneg s ->
  0 < cap o s.
Proof.
move=> /(_ (two ones) (two none) (two_ge0 _)); rewrite (@total_of ones isT) => /(_ isT (two_ge0 _)).
by rewrite (@cap_of 0 1 ones none isT isT isT); vm_compute.
Qed.

Theorem not_cap_matched_below_1 : ~ forall o s : table F T T, nonneg o ->
  0 < matched_total o s -> nonneg s -> cap_matched o s < 1.
Proof.
move=> /(_ (two pure) (two pure) (two_ge0 _)); rewrite (@matched_of pure pure isT isT) => /(_ isT (two_ge0 _)).
by rewrite (@cap_matched_of 1 1 pure pure isT isT isT); vm_compute.
Qed.

Theorem not_cap_of_any_release : ~ forall o s s' : table F T T, nonneg s -> nonneg s' ->
  cap o s = cap o s'.
Proof.
move=> /(_ (two pure) (two pure) (two crossed) (two_ge0 _) (two_ge0 _)).
by rewrite (@cap_of 1 1 pure pure isT isT isT) (@cap_of 0 1 pure crossed isT isT isT) => /eqP; vm_compute.
Qed.

Theorem not_cap_adds : ~ forall o o' s : table F T T, 0 < total o -> 0 < total o' ->
  cap (fun i j => o i j + o' i j) s = cap o s + cap o' s.
Proof.
have n0 : 0 < total (two pure) by rewrite (@total_of pure isT).
move=> /(_ (two pure) (two pure) (two pure) n0 n0); rewrite (cap_adds _ n0 n0).
by rewrite (@total_of pure isT) (@cap_of 1 1 pure pure isT isT isT) => /eqP; vm_compute.
Qed.

Theorem not_cap_symmetric : ~ forall o s : table F T T, nonneg o -> nonneg s ->
  cap o s = cap s o.
Proof.
move=> /(_ (two ones) (two left_key) (two_ge0 _) (two_ge0 _)).
by rewrite (@cap_of 1 4 ones left_key isT isT isT) (@cap_of 1 2 left_key ones isT isT isT) => /eqP; vm_compute.
Qed.

Theorem not_original_is_riskiest : ~ forall o s : table F T T, nonneg o -> nonneg s ->
  cap o s <= cap o o.
Proof.
move=> /(_ (two mixed) (two modal) (two_ge0 _) (two_ge0 _)).
by rewrite (@cap_of 2 3 mixed modal isT isT isT) (@cap_of 5 9 mixed mixed isT isT isT); vm_compute.
Qed.

(** Baselines. *)
Theorem not_cap_le_marginal : ~ forall o : table F T T, nonneg o -> 0 < total o ->
  cap o o <= marginal_baseline o.
Proof.
move=> /(_ (two pure) (two_ge0 _)); rewrite (@total_of pure isT) => /(_ isT).
by rewrite (@cap_of 1 1 pure pure isT isT isT) (@baseline_of 1 2 pure isT isT); vm_compute.
Qed.

Theorem not_cap_le_uniform : ~ forall o : table F T T, nonneg o -> 0 < total o ->
  cap o o <= #|T|%:R^-1.
Proof.
move=> /(_ (two pure) (two_ge0 _)); rewrite (@total_of pure isT) => /(_ isT).
by rewrite (@cap_of 1 1 pure pure isT isT isT) card_ord; vm_compute.
Qed.

Theorem not_marginal_le_uniform : ~ forall o : table F T T, nonneg o -> 0 < total o ->
  marginal_baseline o <= #|T|%:R^-1.
Proof.
move=> /(_ (two mixed) (two_ge0 _)); rewrite (@total_of mixed isT) => /(_ isT).
by rewrite (@baseline_of 5 9 mixed isT isT) card_ord; vm_compute.
Qed.

Theorem not_marginal_le_every_release : ~ forall o s : table F T T, nonneg o -> nonneg s ->
  0 < matched_total o s -> marginal_baseline o <= cap_matched o s.
Proof.
move=> /(_ (two pure) (two crossed) (two_ge0 _) (two_ge0 _)); rewrite (@matched_of pure crossed isT isT) => /(_ isT).
by rewrite (@baseline_of 1 2 pure isT isT) (@cap_matched_of 0 1 pure crossed isT isT isT); vm_compute.
Qed.

(** The least average CAP. *)
Let of_first j : is_least (fun=> True) ((two first)^~ j) 0.
Proof.
by split=> [|i _]; [exists (lift ord0 ord0) => //; case: j => -[|[|//]] | exact: two_ge0].
Qed.

Let single := @with_key_totals F T T (fun=> 1).
Let of_single s : shaped 2 2 s -> (forall j : 'I_2, sumn (nth [::] s j) = 1%N) -> single (two s).
Proof. by move=> sh e; split=> [|j]; [exact: two_ge0 | rewrite key_of // e]. Qed.

Theorem not_lemma_1_upper : ~ forall (o : table F T T) lo m s, 0 < total o ->
  (forall j, is_least (fun=> True) (o^~ j) (lo j)) -> with_key_totals m s ->
  cap o s <= (\sum_(j | 0 < m j) lo j) / total o.
Proof.
move=> /(_ (two first) (fun=> 0) (fun=> 1) (two first)); rewrite (@total_of first isT) => /(_ isT of_first).
rewrite (@cap_of 1 1 first first isT isT isT) big1 // mul0r => le.
by suff /le : single (two first) by []; apply: of_single => // -[[|[|//]]].
Qed.

Theorem not_theorem_2_of_released : ~ forall (o : table F T T) lo m s, nonneg o ->
  0 < total o -> 0 < m -> is_least (fun=> True) (cell o) lo -> with_records m s ->
  lo / m <= cap o s.
Proof.
move=> /(_ (two ones) 1 1 (two modal) (two_ge0 _)); rewrite (@total_of ones isT) => /(_ isT isT).
rewrite (@cap_of 1 4 ones modal isT isT isT) => le.
suff /le : is_least (fun=> True) (cell (two ones)) 1.
  by rewrite /with_records (@total_of modal isT) => /(_ (conj (two_ge0 _) erefl)); vm_compute.
split=> [|[[[|[|//]] i] [[|[|//]] j]] _] //; by exists (ord0, ord0).
Qed.

End Refuted.
