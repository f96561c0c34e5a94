(** * What average CAP is compared with

    Chapter: theory/baselines.md, statements baselines and goodman-kruskal.

    In words. Let n > 0, p_i the share of target i among all original records,
    and the marginal baseline b the sum of the p_i squared.
    - CAP of the original is b plus a weighted sum of the squares of
      r_ij - p_i. So it is at least b, with equality exactly if the shares of
      every key of O are those of the margin.
    - It is at least 1 / I, with equality exactly if in every key of O all I
      targets are equally frequent.
    - A baseline is the share of people whose target is guessed, without a key.
    - b is at least 1 / L for the L targets that have records, so at least 1 / N
      for any greater N, as the number of combinations of the levels of several
      columns; and at most the greatest p_i, as is the crossed baseline.
    - Without key columns average CAP is the marginal baseline (S = O) and the
      crossed baseline.
    - If two targets have records, b < 1. Goodman and Kruskal's tau then lies
      between 0 and 1, and is 0 exactly at independence, 1 exactly if every key
      has one target. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields counts attainable.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Baselines.

Variables (R : realFieldType) (T K : finType) (o : table R T K).
Hypotheses (o0 : nonneg o) (n0 : 0 < total o).
Add Field R_field : (field_laws R).

Definition margin (s : table R T K) i := target_total s i / total s.
Definition marginal_baseline := \sum_i margin o i ^+ 2.
Definition crossed_baseline (s : table R T K) := \sum_i margin o i * margin s i.

Definition weight j := key_total o j / total o.

Lemma weight_ge0 j : 0 <= weight j.
Proof. by rewrite divr_ge0 ?key_total_ge0 ?ltW. Qed.

Lemma weight_sum : \sum_j weight j = 1.
Proof. by rewrite -mulr_suml divff // gt_eqF. Qed.

Lemma margin_sum (s : table R T K) : 0 < total s -> \sum_i margin s i = 1.
Proof. by move=> s0; rewrite -mulr_suml -total_targets divff // gt_eqF. Qed.

Lemma margin_ge0 (s : table R T K) i : nonneg s -> 0 <= margin s i.
Proof.
move=> s0; rewrite divr_ge0 ?total_ge0 //.
by apply: sumr_ge0 => j _; exact: s0.
Qed.

(** The margin is the mean of the shares of the keys. *)
Lemma margin_of_shares i : \sum_j weight j * share o i j = margin o i.
Proof.
rewrite /margin /target_total mulr_suml; apply: eq_bigr => j _.
by rewrite -(share_total i j o0) /weight mulrC mulrA.
Qed.

Lemma cap_of_itself : cap o o = \sum_j \sum_i weight j * share o i j ^+ 2.
Proof.
rewrite /cap correct_all // mulr_suml; apply: eq_bigr => j _.
rewrite mulr_suml; apply: eq_bigr => i _.
by rewrite -{1}(share_total i j o0) /weight; mc_ring R.
Qed.

(** The weighted squares around any point. *)
Lemma squares_around (x : T -> R) :
  \sum_j \sum_i weight j * (share o i j - x i) ^+ 2
    = cap o o - (\sum_i margin o i * x i) *+ 2 + \sum_i x i ^+ 2.
Proof.
rewrite cap_of_itself [X in X *+ 2](_ : _ = \sum_j \sum_i weight j * (share o i j * x i)).
  rewrite [X in _ + X](_ : _ = \sum_j \sum_i weight j * x i ^+ 2).
    rewrite -sumrMnl -sumrB -big_split; apply: eq_bigr => j _ /=.
    rewrite -sumrMnl -sumrB -big_split; apply: eq_bigr => i _ /=.
    by rewrite sqrrB mulrDr mulrBr mulrnAr.
  rewrite exchange_big; apply: eq_bigr => i _ /=.
  by rewrite -mulr_suml weight_sum mul1r.
rewrite exchange_big; apply: eq_bigr => i _ /=.
rewrite -margin_of_shares mulr_suml; apply: eq_bigr => j _.
by rewrite mulrA.
Qed.

(** The weighted squares are 0 exactly if each is, in the keys of O. *)
Lemma squares_eq0 (x : T -> R) :
  \sum_j \sum_i weight j * (share o i j - x i) ^+ 2 = 0 <->
  forall i j, 0 < key_total o j -> share o i j = x i.
Proof.
have term i j : 0 <= weight j * (share o i j - x i) ^+ 2.
  by rewrite mulr_ge0 ?weight_ge0 ?sqr_ge0.
split=> [zero i j oj|eqs].
  have zj : \sum_i weight j * (share o i j - x i) ^+ 2 = 0.
    by apply: (psumr_eq0P _ zero) => // j' _; apply: sumr_ge0.
  have /eqP : weight j * (share o i j - x i) ^+ 2 = 0.
    by apply: (psumr_eq0P _ zj).
  rewrite mulf_eq0 sqrf_eq0 subr_eq0 gt_eqF ?divr_gt0 //=.
  by move/eqP.
apply: big1 => j _; apply: big1 => i _.
have [oj|z] := ltP 0 (key_total o j); first by rewrite eqs // subrr expr0n mulr0.
have -> : weight j = 0; last by rewrite mul0r.
by rewrite /weight; have -> : key_total o j = 0
  by [apply/eqP; rewrite eq_le z key_total_ge0]; rewrite mul0r.
Qed.

Lemma squares_ge0 (x : T -> R) :
  0 <= \sum_j \sum_i weight j * (share o i j - x i) ^+ 2.
Proof.
apply: sumr_ge0 => j _; apply: sumr_ge0 => i _.
by rewrite mulr_ge0 ?weight_ge0 ?sqr_ge0.
Qed.

(** CAP of the original above the marginal baseline. *)
Theorem cap_above_marginal : cap o o - marginal_baseline
  = \sum_j \sum_i weight j * (share o i j - margin o i) ^+ 2.
Proof.
rewrite squares_around /marginal_baseline mulr2n opprD addrA.
rewrite [X in _ = _ - X + _](_ : _ = \sum_i margin o i ^+ 2) ?subrK //.
Qed.

Theorem marginal_le_cap : marginal_baseline <= cap o o.
Proof. by rewrite -subr_ge0 cap_above_marginal squares_ge0. Qed.

Theorem marginal_eq_cap : cap o o = marginal_baseline <->
  forall i j, 0 < key_total o j -> share o i j = margin o i.
Proof.
rewrite -squares_eq0 -cap_above_marginal.
by split=> [->|/eqP]; [rewrite subrr | rewrite subr_eq0 => /eqP].
Qed.

Lemma targets_gt0 : 0 < #|T|%:R :> R.
Proof.
rewrite ltr0n; case: posnP => // e; move: n0; rewrite /total big1 ?ltxx // => j _.
by apply: big1 => i; have := fintype0 i e.
Qed.

Lemma cap_above_uniform : cap o o - #|T|%:R^-1
  = \sum_j \sum_i weight j * (share o i j - #|T|%:R^-1) ^+ 2.
Proof.
rewrite squares_around -mulr_suml (margin_sum n0) mul1r sumr_const.
have -> : #|T|%:R^-1 ^+ 2 *+ #|T| = #|T|%:R^-1 :> R.
  by rewrite -mulr_natr expr2 -mulrA mulVf ?mulr1 // gt_eqF ?targets_gt0.
by rewrite mulr2n opprD addrA subrK.
Qed.

(** CAP of the original is at least 1 / I. *)
Theorem uniform_le_cap : #|T|%:R^-1 <= cap o o.
Proof. by rewrite -subr_ge0 cap_above_uniform squares_ge0. Qed.

Theorem uniform_eq_cap : cap o o = #|T|%:R^-1 <->
  forall i j, 0 < key_total o j -> share o i j = #|T|%:R^-1.
Proof.
rewrite -(squares_eq0 (fun=> _)) -cap_above_uniform.
by split=> [->|/eqP]; [rewrite subrr | rewrite subr_eq0 => /eqP].
Qed.

(** The marginal baseline is at least 1 / L, for L targets with records. *)
Theorem uniform_le_marginal :
  #|[set i | 0 < target_total o i]|%:R^-1 <= marginal_baseline.
Proof.
set L := [set i | _]; have tt0 i : 0 <= target_total o i.
  by apply: sumr_ge0 => j _; exact: o0.
have out i : i \notin L -> margin o i = 0.
  rewrite inE -leNgt => le; rewrite /margin.
  by have -> : target_total o i = 0 by [apply/eqP; rewrite eq_le le tt0]; rewrite mul0r.
have one : \sum_(i in L) margin o i = 1.
  rewrite -(margin_sum n0) [RHS](bigID (mem L)) /= [X in _ = _ + X]big1 ?addr0 //.
have L0 : 0 < #|L|%:R :> R.
  rewrite ltr0n card_gt0; apply/eqP => e; move: one.
  by rewrite e big_set0 => /esym/eqP; rewrite oner_eq0.
have -> : marginal_baseline = \sum_(i in L) margin o i ^+ 2.
  rewrite /marginal_baseline (bigID (mem L)) /= [X in _ + X]big1 ?addr0 // => i nL.
  by rewrite out // expr0n.
rewrite -subr_ge0.
have -> : \sum_(i in L) margin o i ^+ 2 - #|L|%:R^-1
    = \sum_(i in L) (margin o i - #|L|%:R^-1) ^+ 2.
  under [RHS]eq_bigr do rewrite sqrrB.
  rewrite big_split sumrB /= sumr_const sumrMnl -mulr_suml one mul1r.
  have -> : #|L|%:R^-1 ^+ 2 *+ #|L| = #|L|%:R^-1 :> R.
    by rewrite -mulr_natr expr2 -mulrA mulVf ?mulr1 // gt_eqF.
  by rewrite mulr2n opprD addrA subrK.
by apply: sumr_ge0 => i _; exact: sqr_ge0.
Qed.

(** So it is at least 1 / N for any N that is not smaller, such as the number of
    combinations of the levels of several columns. *)
Theorem uniform_baseline_le_marginal N :
  (#|[set i | 0 < target_total o i]%R| <= N)%N -> N%:R^-1 <= marginal_baseline.
Proof.
move=> le; apply: le_trans uniform_le_marginal.
have [/cards0_eq/setP z|L0] := posnP #|[set i | 0 < target_total o i]%R|.
  have := margin_sum n0; rewrite big1 => [/esym/eqP|i _]; first by rewrite oner_eq0.
  have := z i; rewrite !inE => /negbT; rewrite -leNgt => ti.
  have ti0 : 0 <= target_total o i by apply: sumr_ge0 => j _; exact: o0.
  by rewrite /margin (_ : target_total o i = 0) ?mul0r //; apply/eqP; rewrite eq_le ti ti0.
by rewrite lef_pinv ?posrE ?ltr0n ?ler_nat ?(leq_trans L0).
Qed.

(** A mean of shares is at most the greatest of them. *)
Lemma mean_le_greatest (x : T -> R) hi : (forall i, 0 <= x i) ->
  \sum_i x i = 1 -> (forall i, margin o i <= hi) ->
  \sum_i margin o i * x i <= hi.
Proof.
move=> x0 x1 le; rewrite -[leRHS]mulr1 -x1 mulr_sumr.
by apply: ler_sum => i _; rewrite ler_wpmul2r.
Qed.

Theorem marginal_le_modal hi : is_greatest (fun=> True) (margin o) hi ->
  marginal_baseline <= hi.
Proof.
move=> [_ le]; apply: mean_le_greatest => [i||i]; last exact: le.
  exact: margin_ge0.
exact: margin_sum.
Qed.

Theorem crossed_le_modal hi (s : table R T K) : nonneg s -> 0 < total s ->
  is_greatest (fun=> True) (margin o) hi -> crossed_baseline s <= hi.
Proof.
move=> s0 m0 [_ le]; apply: mean_le_greatest => [i||i]; last exact: le.
  exact: margin_ge0.
exact: margin_sum.
Qed.

(** Part 3: the table without key columns, of one key. *)
Definition without_keys (s : table R T K) : table R T [finType of unit] :=
  fun i _ => target_total s i.

Theorem cap_without_keys (s : table R T K) : nonneg s -> 0 < total s ->
  cap (without_keys o) (without_keys s) = crossed_baseline s.
Proof.
move=> s0 m0; have t0 : nonneg (without_keys s).
  by move=> i j; apply: sumr_ge0 => k _; exact: s0.
rewrite /cap correct_all // [total _](bigD1 tt) //= [X in _ + X]big1 => [|[] //].
rewrite (bigD1 tt) //= [X in _ + X]big1 => [|[] //]; rewrite !addr0.
rewrite /crossed_baseline mulr_suml; apply: eq_bigr => i _.
rewrite /margin /share /without_keys /key_total -!total_targets.
by rewrite mulrAC.
Qed.

Theorem cap_of_original_without_keys :
  cap (without_keys o) (without_keys o) = marginal_baseline.
Proof. by rewrite cap_without_keys //; apply: eq_bigr => i _; rewrite expr2. Qed.

(** Tau is defined where at least two targets have records. *)
Theorem two_targets_lt1 i i' : i != i' -> 0 < target_total o i -> 0 < target_total o i' ->
  marginal_baseline < 1.
Proof.
move=> ne oi oi'; have p0 k : 0 <= margin o k by exact: margin_ge0.
have pi : 0 < margin o i by exact: divr_gt0.
have lt : margin o i < 1.
  rewrite -(margin_sum n0) (bigD1 i) //= ltr_addl (bigD1 i') 1?eq_sym //=.
  by apply: ltr_paddr; [exact: sumr_ge0 | exact: divr_gt0].
rewrite -(margin_sum n0) /marginal_baseline [ltLHS](bigD1 i) //= [ltRHS](bigD1 i) //=.
apply: ltr_le_add; first by rewrite expr2 gtr_pmulr.
apply: ler_sum => k _; rewrite expr2 ler_pimulr // -(margin_sum n0) (bigD1 k) //=.
by rewrite ler_addl sumr_ge0.
Qed.

(** Goodman and Kruskal's tau. *)
Definition tau := (cap o o - marginal_baseline) / (1 - marginal_baseline).

Lemma cap_le1 : cap o o <= 1.
Proof. by have /andP[] := cap_bounds o0 n0 o0. Qed.

Theorem tau_bounds : marginal_baseline < 1 -> 0 <= tau <= 1.
Proof.
move=> b1; have b1' : 0 < 1 - marginal_baseline by rewrite subr_gt0.
rewrite /tau ler_pdivr_mulr // mul1r ler_add2r cap_le1 andbT.
by apply: divr_ge0; [rewrite subr_ge0 marginal_le_cap | exact: ltW].
Qed.

Theorem tau_eq0 : marginal_baseline < 1 -> tau = 0 <->
  forall i j, 0 < key_total o j -> share o i j = margin o i.
Proof.
move=> b1; rewrite -marginal_eq_cap /tau; split=> [/eqP|->].
  by rewrite mulf_eq0 invr_eq0 subr_eq0 [X in _ || X]gt_eqF ?subr_gt0 // orbF => /eqP.
by rewrite subrr mul0r.
Qed.

Lemma cap_eq1 : cap o o = 1 <-> forall i j, 0 < o i j -> share o i j = 1.
Proof.
have e : 1 - cap o o = (\sum_j \sum_i o i j * (1 - share o i j)) / total o.
  rewrite -[X in X - _](divff (lt0r_neq0 n0)) /cap correct_all // -mulrBl; congr (_ / _).
  rewrite [X in X - _](_ : _ = \sum_j \sum_i o i j) // -sumrB; apply: eq_bigr => j _.
  by rewrite -sumrB; apply: eq_bigr => i _; rewrite mulrBr mulr1.
have term i j : 0 <= o i j * (1 - share o i j).
  by rewrite mulr_ge0 // subr_ge0 share_le1.
split=> [c i j oij|pure].
  have /eqP := e; rewrite c subrr eq_sym mulf_eq0 invr_eq0 [X in _ || X]gt_eqF // orbF => /eqP z.
  have zj : \sum_i o i j * (1 - share o i j) = 0.
    by apply: (psumr_eq0P _ z) => // k _; apply: sumr_ge0.
  have /eqP := psumr_eq0P (fun k _ => term k j) zj (erefl : xpredT i).
  by rewrite mulf_eq0 (gt_eqF oij) /= subr_eq0 eq_sym => /eqP.
apply/eqP; rewrite eq_sym -subr_eq0 e big1 ?mul0r // => j _; apply: big1 => i _.
have [->|ne] := eqVneq (o i j) 0; first by rewrite mul0r.
by rewrite pure ?subrr ?mulr0 // lt_def ne o0.
Qed.

Theorem tau_eq1 : marginal_baseline < 1 -> tau = 1 <->
  forall i j, 0 < o i j -> share o i j = 1.
Proof.
move=> b1; rewrite -cap_eq1 /tau; have b1' : 0 < 1 - marginal_baseline by rewrite subr_gt0.
split=> [/eqP|->]; last by rewrite divff // gt_eqF.
by rewrite -subr_eq0 -[X in _ - X](divff (lt0r_neq0 b1')) -mulrBl mulf_eq0 invr_eq0
  [X in _ || X]gt_eqF // orbF opprB addrA subrK subr_eq0 => /eqP.
Qed.

End Baselines.

(** A baseline is the share of people whose target is guessed, if x i is the
    probability to guess i without a key. *)
Theorem guess_success (R : realFieldType) (T K P : finType) (target : P -> T) (key : P -> K)
    (x : T -> R) :
  (\sum_q x (target q)) / #|P|%:R = \sum_i margin (count R target key) i * x i.
Proof.
rewrite (sum_people target key (fun i _ => x i)) exchange_big mulr_suml.
apply: eq_bigr => i _ /=; rewrite -mulr_suml /margin total_count.
by rewrite mulrAC.
Qed.

(** Targets of several columns: as many have records as there are combinations of
    the levels of the columns, or fewer. *)
Theorem targets_le_levels (R : realFieldType) (K C V : finType) (o : table R [finType of {ffun C -> V}] K) :
  (#|[set i | 0 < target_total o i]%R|
    <= \prod_c #|[set v | [exists i : {ffun C -> V}, (0 < target_total o i)%R && (i c == v)]]|)%N.
Proof.
rewrite -[X in (_ <= X)%N](_ : #|family (fun c => mem [set v | [exists i : {ffun C -> V},
  (0 < target_total o i)%R && (i c == v)]])| = _)%N; last first.
  by rewrite card_family foldrE big_map big_enum.
apply/subset_leq_card/subsetP => i; rewrite inE => oi.
by apply/familyP => c; rewrite inE; apply/existsP; exists i; rewrite oi eqxx.
Qed.
