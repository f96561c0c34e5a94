(** * Prices bound the average CAP of all tables with given margins

    Chapter: theory/attainable.md, statement transportation-bounds, part 1, and
    of part 4 what it says of it.

    In words. Let the totals of keys and of targets be given, and let u be any
    prices of the targets. The priced count of cell (i, j) is o_ij - m_j u_i.
    - The expected number of correct attributions is at least the sum of the
      t_i u_i and of the least priced count of each matched key, with equality
      exactly if every synthetic record is in a cell with the least priced count
      of its key.
    - It is at most the same with greatest priced counts, with equality exactly
      if every record is in such a cell.
    Average CAP is this number over n, or over n_M, which is fixed. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import counts attainable.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Transportation.

Variables (R : realFieldType) (T K : finType) (o : table R T K).
Variables (m : K -> R) (t : T -> R) (u : T -> R).

Definition with_margins s := with_key_totals m s /\ forall i, target_total s i = t i.
Definition priced i j := o i j - m j * u i.

(** Prices move the sum by a number that the margins fix. *)
Lemma correct_priced s : with_margins s ->
  correct o s = \sum_i t i * u i + correct priced s.
Proof.
move=> [[s0 sm] st].
rewrite (eq_bigr (fun i => \sum_j s i j * u i)) => [|i _]; last by rewrite -mulr_suml -st.
rewrite exchange_big !correct_all // -big_split; apply: eq_bigr => j _ /=.
rewrite -big_split; apply: eq_bigr => i _ /=.
by rewrite /priced mulrBl mulrAC [m j * _]mulrC -sm share_total // addrC subrK.
Qed.

(** Part 1. *)
Theorem transportation_bound (lo : K -> R) :
  (forall j, is_least (fun=> True) (priced^~ j) (lo j)) -> forall s, with_margins s ->
  \sum_i t i * u i + \sum_(j | 0 < m j) lo j <= correct o s /\
  (correct o s = \sum_i t i * u i + \sum_(j | 0 < m j) lo j <->
   forall i j, 0 < s i j -> priced i j = lo j).
Proof.
move=> least s ms; have [[s0 sm] _] := ms.
have le i j : lo j <= priced i j by case: (least j) => _; apply.
rewrite correct_priced // -(eq_bigl _ _ (with_key_totals_matched ms.1)).
rewrite ler_add2l -(correct_lower_eq s0 le); split; first exact: correct_lower.
by split=> [/addrI|->].
Qed.

(** Part 4. *)
Theorem transportation_bound_greatest (hi : K -> R) :
  (forall j, is_greatest (fun=> True) (priced^~ j) (hi j)) -> forall s, with_margins s ->
  correct o s <= \sum_i t i * u i + \sum_(j | 0 < m j) hi j /\
  (correct o s = \sum_i t i * u i + \sum_(j | 0 < m j) hi j <->
   forall i j, 0 < s i j -> priced i j = hi j).
Proof.
move=> most s ms; have [[s0 sm] _] := ms.
have le i j : priced i j <= hi j by case: (most j) => _; apply.
rewrite correct_priced // -(eq_bigl _ _ (with_key_totals_matched ms.1)).
rewrite ler_add2l -(correct_upper_eq s0 le); split; first exact: correct_upper.
by split=> [/addrI|->].
Qed.

End Transportation.
