(** * Releases that keep the keys and perturb the targets

    Chapter: theory/perturbation.md, statements pram and swap; parts of
    theory/guarantees.md, statement dp-bound, part 6.

    In words. Let n > 0.
    - Where all releases have the same key totals, expected average CAP is the
      average CAP of the expected release: it is linear.
    - PRAM: each record with target a gets target b with probability R_ab, rows
      of R add up to 1, records are independent. The mean is
      (1 / n) sum_j sum_a (o_aj / o_.j) sum_b R_ab o_bj.
    - With R = (1 - theta) Id + theta 1 p, p the margin of O, it is
      (1 - theta) CAP(O) + theta b, so the mean of normalised CAP is 1 - theta.
    - If every record answers by randomised response on a set A of targets, it
      is at most pi e / (e + |A| - 1), with pi the share of the records whose
      target is in A; with equality if every key of O has one target. That is at
      most the bound of one record, if the prior is the target margin of O. *)

From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From capstats Require Import fields counts attainable baselines privacy.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section KeptKeys.

Variables (R : realFieldType) (T K X : finType) (o : table R T K).
Variables (law : X -> R) (S : X -> table R T K).
Hypotheses (law0 : forall x, 0 <= law x) (law1 : \sum_x law x = 1).
Hypothesis (S0 : forall x, nonneg (S x)).
Add Field R_field : (field_laws R).

Definition mean_table : table R T K := fun i j => \sum_x law x * S x i j.

Lemma mean_table_nonneg : nonneg mean_table.
Proof. by move=> i j; apply: sumr_ge0 => x _; rewrite mulr_ge0 // S0. Qed.

Lemma mean_table_key_total (t : K -> R) : (forall x j, key_total (S x) j = t j) ->
  forall j, key_total mean_table j = t j.
Proof.
move=> kept j; rewrite /key_total exchange_big /= -[RHS]mul1r -law1 mulr_suml.
by apply: eq_bigr => x _; rewrite -mulr_sumr -/(key_total _ _) kept.
Qed.

(** Linearity. *)
Theorem kept_keys_expected_cap (t : K -> R) : 0 < total o ->
  (forall x j, key_total (S x) j = t j) ->
  \sum_x law x * cap o (S x) = cap o mean_table.
Proof.
move=> _ kept; rewrite /cap (correct_all o mean_table_nonneg) mulr_suml.
transitivity (\sum_x \sum_j \sum_i law x * (o i j * share (S x) i j / total o)).
  apply: eq_bigr => x _; rewrite (correct_all o (S0 x)) mulr_suml mulr_sumr.
  by apply: eq_bigr => j _; rewrite mulr_suml mulr_sumr.
rewrite exchange_big; apply: eq_bigr => j _; rewrite exchange_big mulr_suml.
apply: eq_bigr => i _ /=; rewrite /share (mean_table_key_total kept) /mean_table.
rewrite !mulr_suml mulr_sumr mulr_suml; apply: eq_bigr => x _.
by rewrite kept; mc_ring R.
Qed.

End KeptKeys.

Section Pram.

Variables (R : realFieldType) (T K P : finType) (target : P -> T) (key : P -> K).
Variable r : T -> T -> R.
Hypotheses (r0 : forall a b, 0 <= r a b) (r1 : forall a, \sum_b r a b = 1).
Hypothesis P0 : (0 < #|P|)%N.
Add Field R_field : (field_laws R).

Let o := count R target key.

(** The released targets, and their law. *)
Definition pram_law (x : {ffun P -> T}) : R := \prod_q r (target q) (x q).
Definition pram_table (x : {ffun P -> T}) : table R T K := count R x key.

Lemma pram_law_ge0 x : 0 <= pram_law x.
Proof. by apply: prodr_ge0 => q _; exact: r0. Qed.

Lemma pram_law_sum : \sum_x pram_law x = 1.
Proof.
rewrite /pram_law -(bigA_distr_bigA (fun q b => r (target q) b)) /=.
by apply: big1 => q _; exact: r1.
Qed.

(** A record with target a has target b with probability r a b. *)
Lemma pram_one q b : \sum_x pram_law x * (x q == b)%:R = r (target q) b.
Proof.
pose F q' b' := r (target q') b' * (if q' == q then (b' == b)%:R else 1).
transitivity (\prod_q' \sum_b' F q' b').
  rewrite bigA_distr_bigA; apply: eq_bigr => x _.
  rewrite /F big_split /= /pram_law; congr (_ * _).
  by rewrite (bigD1 q) //= eqxx [X in _ * X]big1 ?mulr1 // => q' /negbTE ->.
rewrite (bigD1 q) //= [X in _ * X]big1 => [|q' /negbTE ne].
  rewrite mulr1 (bigD1 b) //= /F !eqxx mulr1 [X in _ + X]big1 ?addr0 // => b' /negbTE ne.
  by rewrite ne mulr0.
by rewrite /F ne (eq_bigr (r (target q'))) ?r1 // => b' _; rewrite mulr1.
Qed.

Lemma count_sum (t : P -> T) i j : count R t key i j = \sum_(q | key q == j) (t q == i)%:R.
Proof.
rewrite big_mkcond /= /count -sum1dep_card natr_sum big_mkcond /=.
by apply: eq_bigr => q _; case: (t q == i); case: (key q == j).
Qed.

Lemma pram_mean_table i j : mean_table pram_law pram_table i j = \sum_a o a j * r a i.
Proof.
rewrite /mean_table /pram_table.
transitivity (\sum_(q | key q == j) r (target q) i).
  rewrite (eq_bigr (fun x => \sum_(q | key q == j) pram_law x * (x q == i)%:R)).
    by rewrite exchange_big /=; apply: eq_bigr => q _; exact: pram_one.
  by move=> x _; rewrite count_sum mulr_sumr.
rewrite big_mkcond /= (sum_people target key (fun a k => if k == j then r a i else 0)).
rewrite (bigD1 j) //= eqxx [X in _ + X]big1 ?addr0 // => k /negbTE ->.
by apply: big1 => a _; rewrite mulr0.
Qed.

Lemma pram_key_total x j : key_total (pram_table x) j = key_total o j.
Proof. by rewrite /pram_table /o !key_total_count. Qed.

Theorem pram_expected_cap :
  \sum_x pram_law x * cap o (pram_table x)
    = (\sum_j \sum_a o a j / key_total o j * (\sum_b r a b * o b j)) / total o.
Proof.
have S0 x : nonneg (pram_table x) by exact: count_ge0.
have kept := fun x j => pram_key_total x j.
have n0 : 0 < total o by rewrite /o total_count ltr0n.
rewrite (kept_keys_expected_cap pram_law_ge0 pram_law_sum S0 n0 kept) /cap.
rewrite correct_all; last exact: (mean_table_nonneg pram_law_ge0 S0).
congr (_ / _); apply: eq_bigr => j _.
rewrite (eq_bigr (fun i => \sum_a o a j / key_total o j * (r a i * o i j))) => [|i _].
  by rewrite exchange_big; apply: eq_bigr => a _; rewrite mulr_sumr.
rewrite /share (mean_table_key_total pram_law_sum kept) pram_mean_table.
by rewrite mulrC !mulr_suml; apply: eq_bigr => a _; mc_ring R.
Qed.

End Pram.

Section Margin.

Variables (R : realFieldType) (T K P : finType) (target : P -> T) (key : P -> K).
Variable theta : R.
Hypotheses (theta01 : 0 <= theta <= 1) (P0 : (0 < #|P|)%N).
Add Field R_field : (field_laws R).

Let o := count R target key.
Let o0 : nonneg o. Proof. exact: count_ge0. Qed.
Let n0 : 0 < total o. Proof. by rewrite /o total_count ltr0n. Qed.

(** A share theta of the targets is drawn anew from the margin of O. *)
Definition redrawn (a b : T) : R := (1 - theta) * (a == b)%:R + theta * margin o b.

Lemma redrawn_ge0 a b : 0 <= redrawn a b.
Proof.
have /andP[t0 t1] := theta01.
by rewrite addr_ge0 // mulr_ge0 ?subr_ge0 ?ler0n ?margin_ge0.
Qed.

Lemma redrawn_sum a : \sum_b redrawn a b = 1.
Proof.
rewrite big_split /= -!mulr_sumr margin_sum // (bigD1 a) //= eqxx big1 => [|b].
  by rewrite addr0 !mulr1 subrK.
by rewrite eq_sym => /negbTE ->.
Qed.

Theorem pram_margin_expected_cap :
  \sum_x pram_law target redrawn x * cap o (pram_table R key x)
    = (1 - theta) * cap o o + theta * marginal_baseline o.
Proof.
rewrite (pram_expected_cap target key redrawn_ge0 redrawn_sum P0) -/o.
have inner j a : \sum_b redrawn a b * o b j
    = (1 - theta) * o a j + theta * (\sum_b margin o b * o b j).
  under eq_bigr do rewrite mulrDl.
  rewrite big_split /= mulr_sumr; congr (_ + _).
    rewrite (bigD1 a) //= eqxx mulr1 big1 ?addr0 // => b.
    by rewrite eq_sym => /negbTE ->; rewrite mulr0 mul0r.
  by apply: eq_bigr => b _; rewrite mulrA.
have split_key j : \sum_a o a j / key_total o j * (\sum_b redrawn a b * o b j)
    = (1 - theta) * (\sum_a o a j * share o a j)
      + theta * (\sum_b margin o b * o b j).
  rewrite (eq_bigr (fun a => (1 - theta) * (o a j * share o a j)
      + share o a j * (theta * (\sum_b margin o b * o b j)))) => [|a _].
    rewrite big_split /= -mulr_sumr -mulr_suml; congr (_ + _).
    have [mj|nj] := boolP (matched o j); first by rewrite theorem_1 ?mul1r.
    by rewrite theorem_1_unmatched // mul0r big1 ?mulr0 // => b _;
      rewrite (unmatched_cell b o0 nj) mulr0.
  by rewrite inner /share; mc_ring R.
rewrite (eq_bigr _ (fun j _ => split_key j)) big_split /= -!mulr_sumr mulrDl -!mulrA.
congr (_ * _ + _ * _); first by rewrite /cap correct_all.
rewrite exchange_big mulr_suml; apply: eq_bigr => b _ /=.
by rewrite -mulr_sumr -/(target_total o b) -mulrA -/(margin o b) expr2.
Qed.

(** Normalised CAP. *)
Theorem pram_margin_normalised : marginal_baseline o < cap o o ->
  (\sum_x pram_law target redrawn x * cap o (pram_table R key x) - marginal_baseline o)
    / (cap o o - marginal_baseline o) = 1 - theta.
Proof.
move=> lt; rewrite pram_margin_expected_cap.
by mc_field R; apply/eqP; rewrite gt_eqF // subr_gt0.
Qed.

End Margin.

Section Responses.

Variables (R : realFieldType) (T K P : finType) (target : P -> T) (key : P -> K).
Variables (e : R) (A : {set T}).
Hypotheses (e1 : 1 <= e) (An : A != set0) (P0 : (0 < #|P|)%N).
Add Field R_field : (field_laws R).

Let o := count R target key.
Let o0 : nonneg o. Proof. exact: count_ge0. Qed.
Let top : R := e / (e + #|A|%:R - 1).
Let in_A : R := (\sum_(b in A) target_total o b) / total o.

Lemma response_le_top a b : response e A a b <= (if b \in A then top else 0).
Proof.
have d0 := denominator_gt0 e1 An; have e0 : 0 < e := lt_le_trans ltr01 e1.
rewrite /response; case: (b \in A) => //; case: (a \in A).
  by rewrite ler_pmul2r ?invr_gt0 //; case: ifP.
have c0 : 0 < #|A|%:R :> R by rewrite ltr0n card_gt0.
rewrite /top -[leLHS]mul1r ler_pdivr_mulr // mulrAC ler_pdivl_mulr // mul1r.
rewrite -subr_ge0 (_ : _ - _ = (e - 1) * (#|A|%:R - 1)); last by mc_ring R.
by rewrite mulr_ge0 ?subr_ge0 // ler1n card_gt0.
Qed.

(** The mean, released target by released target. *)
Lemma responses_cap (g : T -> T -> R) :
  \sum_j \sum_a o a j / key_total o j * (\sum_b g a b * o b j)
    = \sum_j \sum_b o b j * (\sum_a share o a j * g a b).
Proof.
apply: eq_bigr => j _; rewrite (eq_bigr (fun a => \sum_b share o a j * g a b * o b j)) => [|a _].
  by rewrite exchange_big; apply: eq_bigr => b _; rewrite -mulr_suml mulrC.
by rewrite mulr_sumr; apply: eq_bigr => b _; rewrite mulrA.
Qed.

Lemma top_cap : (\sum_j \sum_b o b j * (if b \in A then top else 0)) / total o = in_A * top.
Proof.
rewrite exchange_big /= /in_A mulrAC; congr (_ / _).
rewrite mulr_suml [RHS]big_mkcond /=; apply: eq_bigr => b _.
by rewrite -mulr_suml; case: ifP; rewrite ?mulr0.
Qed.

Theorem responses_expected_cap :
  \sum_x pram_law target (response e A) x * cap o (pram_table R key x) <= in_A * top.
Proof.
have [r0 r1] := response_mechanism e1 An.
have n0 : 0 < total o by rewrite /o total_count ltr0n.
rewrite (pram_expected_cap target key r0 r1 P0) -/o responses_cap -top_cap.
rewrite ler_pmul2r ?invr_gt0 //; apply: ler_sum => j _; apply: ler_sum => b _.
have [mj|nj] := boolP (matched o j); last by rewrite (unmatched_cell b o0 nj) !mul0r.
rewrite ler_wpmul2l //; set t := (if _ then _ else _).
rewrite -[leRHS]mul1r -(theorem_1 mj) mulr_suml; apply: ler_sum => a _.
by rewrite ler_wpmul2l ?share_ge0 // response_le_top.
Qed.

Theorem responses_expected_cap_pure : (forall q q', key q = key q' -> target q = target q') ->
  \sum_x pram_law target (response e A) x * cap o (pram_table R key x) = in_A * top.
Proof.
move=> pure; have [r0 r1] := response_mechanism e1 An.
rewrite (pram_expected_cap target key r0 r1 P0) -/o responses_cap -top_cap.
congr (_ / _); apply: eq_bigr => j _; apply: eq_bigr => b _.
have [z|bj] := eqVneq (o b j) 0; first by rewrite z !mul0r.
congr (_ * _); have mj : matched o j.
  by apply: (matched_cell (i := b)) => //; rewrite lt_def bj o0.
have others a : a != b -> share o a j = 0.
  move=> ne; apply/eqP; rewrite (matched_share_eq0 _ o0 mj) /o /count pnatr_eq0 cards_eq0.
  move: bj; rewrite /o /count pnatr_eq0 cards_eq0 => /set0Pn[q]; rewrite inE => /andP[/eqP tb /eqP kj].
  apply/eqP/setP => q'; rewrite !inE; apply/negbTE/negP => /andP[/eqP ta /eqP kj'].
  by case/eqP: ne; rewrite -ta -tb; apply: pure; rewrite kj kj'.
have one : share o b j = 1.
  by have := theorem_1 mj; rewrite (bigD1 b) //= big1 ?addr0.
rewrite (bigD1 b) //= one mul1r big1 ?addr0 => [|a ne]; last by rewrite others ?mul0r.
by rewrite /response /top; case: (b \in A) => //; rewrite eqxx.
Qed.

(** Part 6: at most the bound of one record for the target margin. *)
Theorem responses_expected_cap_margin B :
  is_greatest (fun A' : {set T} => A' != set0) (response_value (margin o) e) B ->
  \sum_x pram_law target (response e A) x * cap o (pram_table R key x) <= B.
Proof.
move=> [_ most]; apply: le_trans responses_expected_cap (le_trans _ (most A An)).
by rewrite /response_value /margin -mulr_suml /in_A /top mulrCA mulrA.
Qed.

End Responses.
