(** * Tables that are written down, and their numbers

    Chapter: theory/cap.md, statement average-cap, and theory/baselines.md,
    statement baselines. Used by examples.v.

    In words. A table is a list of columns, one a key, each a list of counts, one
    a target. Average CAP of both versions and the marginal baseline are then
    quotients of whole numbers that are computed from the lists. *)

From Coq Require Import BinNat.
From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields counts attainable baselines.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Numbers.

Variable R : realFieldType.
Variables I J : nat.
Implicit Types (o s : seq (seq nat)).

Definition entry s (i : 'I_I) (j : 'I_J) : nat := nth 0%N (nth [::] s j) i.
Definition written s : table R [finType of 'I_I] [finType of 'I_J] :=
  fun i j => (entry s i j)%:R.

(** The list has J columns of I counts. *)
Definition shaped s := (size s == J) && all (fun column => size column == I) s.

Lemma written_nonneg s : nonneg (written s).
Proof. by move=> i j; exact: ler0n. Qed.

Lemma sum_nth (l : seq nat) (f : nat -> nat) : size l = I ->
  (\sum_(i < I) f (nth 0%N l i) = sumn (map f l))%N.
Proof.
move=> <-; rewrite sumnE big_map (big_nth 0%N) big_mkord.
by apply: eq_bigr.
Qed.

Lemma shaped_column s (j : 'I_J) : shaped s -> size (nth [::] s j) = I.
Proof.
move=> /andP[/eqP sz /allP all_I]; apply/eqP/all_I/mem_nth.
by rewrite sz.
Qed.

Lemma written_key_total s j : shaped s ->
  key_total (written s) j = (sumn (nth [::] s j))%:R.
Proof.
move=> sh; rewrite /key_total /written -natr_sum; congr (_%:R).
rewrite (sum_nth id) ?shaped_column //.
by rewrite map_id.
Qed.

Lemma written_total s : shaped s -> total (written s) = (sumn (map sumn s))%:R.
Proof.
move=> sh; have /andP[/eqP sz _] := sh.
rewrite /total (eq_bigr (fun j : 'I_J => (sumn (nth [::] s j))%:R)) => [|j _]; last first.
  exact: written_key_total.
rewrite -natr_sum; congr (_%:R).
rewrite sumnE big_map (big_nth [::]) sz big_mkord.
by apply: eq_bigr.
Qed.

(** The right ones of a key, and of all keys. *)
Definition right_of (p : seq nat * seq nat) : R :=
  (sumn [seq (x.1 * x.2)%N | x <- zip p.1 p.2])%:R / (sumn p.2)%:R.

Lemma sum_zip (a b : seq nat) : size a = I -> size b = I ->
  (\sum_(i < I) nth 0 a i * nth 0 b i = sumn [seq x.1 * x.2 | x <- zip a b])%N.
Proof.
move=> sa sb; rewrite sumnE big_map (big_nth (0, 0)%N) size_zip sa sb minnn big_mkord.
by apply: eq_bigr => i _; rewrite nth_zip ?sa ?sb.
Qed.

Lemma written_correct o s : shaped o -> shaped s ->
  correct (written o) (written s) = foldr +%R 0 (map right_of (zip o s)).
Proof.
move=> so ss; have /andP[/eqP zo _] := so; have /andP[/eqP zs _] := ss.
rewrite correct_all; last exact: written_nonneg.
rewrite (eq_bigr (fun j : 'I_J => right_of (nth ([::], [::]) (zip o s) j))) => [|j _].
  rewrite foldrE big_map (big_nth ([::], [::])) size_zip zo zs minnn big_mkord.
  by apply: eq_bigr.
rewrite nth_zip ?zo ?zs // /right_of /share written_key_total //.
under eq_bigr do rewrite mulrA /written -natrM.
by rewrite -mulr_suml -natr_sum sum_zip ?shaped_column.
Qed.

Lemma written_matched_total o s : shaped o -> shaped s ->
  matched_total (written o) (written s)
    = (sumn [seq if (0 < sumn p.2)%N then sumn p.1 else 0%N | p <- zip o s])%:R.
Proof.
move=> so ss; have /andP[/eqP zo _] := so; have /andP[/eqP zs _] := ss.
rewrite /matched_total big_mkcond /= sumnE big_map.
rewrite (big_nth ([::], [::])) size_zip zo zs minnn big_mkord natr_sum.
apply: eq_bigr => j _; rewrite nth_zip ?zo ?zs //= /matched.
by rewrite !written_key_total // ltr0n; case: ifP.
Qed.

(** Version 1, version 2, and the marginal baseline. *)
Lemma written_cap o s : shaped o -> shaped s ->
  cap (written o) (written s)
    = foldr +%R 0 (map right_of (zip o s)) / (sumn (map sumn o))%:R.
Proof. by move=> so ss; rewrite /cap written_correct // written_total. Qed.

Lemma written_cap_matched o s : shaped o -> shaped s ->
  cap_matched (written o) (written s)
    = foldr +%R 0 (map right_of (zip o s))
      / (sumn [seq if (0 < sumn p.2)%N then sumn p.1 else 0%N | p <- zip o s])%:R.
Proof. by move=> so ss; rewrite /cap_matched written_correct // written_matched_total. Qed.

Lemma written_target_total o (i : 'I_I) : shaped o ->
  target_total (written o) i = (sumn [seq nth 0%N column i | column <- o])%:R.
Proof.
move=> /andP[/eqP zo _]; rewrite /target_total /written -natr_sum; congr (_%:R).
by rewrite sumnE big_map (big_nth [::]) zo big_mkord.
Qed.

Definition squares o :=
  sumn [seq (sumn [seq nth 0%N column i | column <- o]) ^ 2 | i <- iota 0 I]%N.

Lemma written_baseline o : shaped o ->
  marginal_baseline (written o) = (squares o)%:R / ((sumn (map sumn o)) ^ 2)%:R.
Proof.
move=> so; rewrite /marginal_baseline /squares sumnE big_map natr_sum mulr_suml.
have -> : iota 0 I = index_iota 0 I by rewrite /index_iota subn0.
rewrite big_mkord; apply: eq_bigr => i _.
by rewrite /margin written_target_total // written_total // expr_div_n !natrX.
Qed.

(** Quotients as pairs of binary numbers, which Coq computes. *)
Definition quotient := (N * N)%type.
Definition value (f : quotient) : R := (nat_of_bin f.1)%:R / (nat_of_bin f.2)%:R.
Definition proper (f : quotient) := (0 < nat_of_bin f.2)%N.
Definition plus (f g : quotient) : quotient :=
  ((f.1 * g.2 + g.1 * f.2)%num, (f.2 * g.2)%num).
Definition over (f : quotient) (n : nat) : quotient :=
  (f.1, (f.2 * bin_of_nat n)%num).

Lemma value_plus f g : proper f -> proper g ->
  proper (plus f g) /\ value (plus f g) = value f + value g.
Proof.
rewrite /proper /value /= => f0 g0; rewrite nat_of_add_bin !nat_of_mul_bin.
split; first by rewrite muln_gt0 f0.
by rewrite addf_div ?pnatr_eq0 -?lt0n // natrD !natrM.
Qed.

Lemma value_over f n : value (over f n) = value f / n%:R.
Proof. by rewrite /value /= nat_of_mul_bin bin_of_natK natrM invfM mulrA. Qed.

Definition right_quotient (p : seq nat * seq nat) : quotient :=
  if sumn p.2 is 0%N then (0%num, 1%num) else
  (bin_of_nat (sumn [seq (x.1 * x.2)%N | x <- zip p.1 p.2]), bin_of_nat (sumn p.2)).

Lemma value_right p : proper (right_quotient p) /\ value (right_quotient p) = right_of p.
Proof.
rewrite /right_quotient /right_of /proper /value; case e: (sumn p.2) => [|n].
  by rewrite invr0 mulr0 /= mul0r.
by rewrite ![nat_of_bin _.2](bin_of_natK n.+1) [nat_of_bin _.1](bin_of_natK (sumn _)).
Qed.

Definition correct_quotient o s : quotient :=
  foldr plus (0%num, 1%num) (map right_quotient (zip o s)).

Lemma value_correct o s : proper (correct_quotient o s) /\
  value (correct_quotient o s) = foldr +%R 0 (map right_of (zip o s)).
Proof.
rewrite /correct_quotient; elim: (zip o s) => [|p l [IH1 IH2]] /=.
  by split=> //; rewrite /value /= mul0r.
have [p1 p2] := value_right p; have [-> ->] := value_plus p1 IH1.
by rewrite p2 IH2.
Qed.

Definition same (f : quotient) (a b : nat) :=
  [&& (0 < nat_of_bin f.2)%N, (0 < b)%N
    & N.eqb (f.1 * bin_of_nat b)%num (bin_of_nat a * f.2)%num].

Lemma value_same f a b : same f a b -> value f = a%:R / b%:R.
Proof.
move=> /and3P[f0 b0 /N.eqb_eq /(congr1 nat_of_bin)].
rewrite !nat_of_mul_bin !bin_of_natK => e; apply/eqP.
by rewrite eqr_div ?pnatr_eq0 -?lt0n // -!natrM e.
Qed.

(** What is computed. *)
Definition cap_quotient o s := over (correct_quotient o s) (sumn (map sumn o)).
Definition cap_matched_quotient o s := over (correct_quotient o s)
  (sumn [seq if (0 < sumn p.2)%N then sumn p.1 else 0%N | p <- zip o s]).

Theorem cap_is_quotient o s : shaped o -> shaped s ->
  cap (written o) (written s) = value (cap_quotient o s).
Proof. by move=> so ss; rewrite value_over written_cap // (value_correct o s).2. Qed.

Theorem cap_matched_is_quotient o s : shaped o -> shaped s ->
  cap_matched (written o) (written s) = value (cap_matched_quotient o s).
Proof. by move=> so ss; rewrite value_over written_cap_matched // (value_correct o s).2. Qed.

Theorem cap_is o s a b : shaped o -> shaped s -> same (cap_quotient o s) a b ->
  cap (written o) (written s) = a%:R / b%:R.
Proof. by move=> so ss /value_same <-; exact: cap_is_quotient. Qed.

Theorem cap_matched_is o s a b : shaped o -> shaped s ->
  same (cap_matched_quotient o s) a b ->
  cap_matched (written o) (written s) = a%:R / b%:R.
Proof. by move=> so ss /value_same <-; exact: cap_matched_is_quotient. Qed.

Theorem marginal_baseline_is o a b : shaped o ->
  same (over (bin_of_nat (squares o), 1%num) ((sumn (map sumn o)) ^ 2)) a b ->
  marginal_baseline (written o) = a%:R / b%:R.
Proof.
move=> so /value_same <-; rewrite value_over written_baseline // /value /=.
by rewrite bin_of_natK divr1.
Qed.

End Numbers.

(** Over the rational numbers. *)
Definition rational I J columns := @written [realFieldType of rat] I J columns.
