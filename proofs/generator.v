(** * The expected average CAP of a generator

    Chapter: theory/models.md, statements generator and expected-cap.

    In words. A release is m records, each a target and a key, drawn with a law
    that may make them depend on each other; O is fixed with n > 0.
    - If, given all keys, a record with key j has target i with probability
      pi_ij, then version 1 has the mean
      sum of (o_ij / n) pi_ij P(key j is in the release).
    - If the records are independent, each in cell (i, j) with probability p_ij
      and so with key j with probability w_j, it is
      sum of (o_ij / n) (p_ij / w_j) (1 - (1 - w_j)^m), with 0 where w_j = 0.
      It does not fall as m grows.

    The cells include those of targets and keys that O lacks, where o_ij = 0. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields counts.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Generator.

Variables (R : realFieldType) (T K : finType) (m : nat) (o : table R T K).
Add Field R_field : (field_laws R).

(** Releases of m records, and their tables. *)
Definition release := {ffun 'I_m -> T * K}.
Definition target_of (x : release) l := (x l).1.
Definition key_of (x : release) l := (x l).2.
Definition table_of (x : release) : table R T K := count R (target_of x) (key_of x).
Definition keys_of (x : release) : {ffun 'I_m -> K} := [ffun l => (x l).2].

Lemma keys_ofE x l : keys_of x l = key_of x l.
Proof. by rewrite ffunE. Qed.

Variable law : release -> R.
Hypotheses (law0 : forall x, 0 <= law x) (law1 : \sum_x law x = 1).

Definition expectation (f : release -> R) := \sum_x law x * f x.
Definition chance_of_key j := expectation (fun x => (matched (table_of x) j)%:R).

Lemma table_of_nonneg x : nonneg (table_of x).
Proof. exact: count_ge0. Qed.

(** Given all keys, a record of key j has target i with probability pi i j. *)
Definition targets_given_keys (pi : T -> K -> R) := forall (ks : {ffun 'I_m -> K}) l i,
  \sum_(x | keys_of x == ks) law x * (target_of x l == i)%:R
    = pi i (ks l) * \sum_(x | keys_of x == ks) law x.

(** The number of records of key j, from the keys alone. *)
Let size_of (ks : {ffun 'I_m -> K}) j : R := \sum_l (ks l == j)%:R.

Let key_total_of x j : key_total (table_of x) j = size_of (keys_of x) j.
Proof.
rewrite /table_of key_total_count /size_of -natr_sum -big_mkcond /= sum1dep_card.
by congr (_%:R); apply: eq_card => l; rewrite !inE keys_ofE.
Qed.

Let share_of_cell x i j : share (table_of x) i j
  = (\sum_l (keys_of x l == j)%:R * (target_of x l == i)%:R) / size_of (keys_of x) j.
Proof.
rewrite /share key_total_of; congr (_ / _).
rewrite /table_of /count -sum1dep_card natr_sum big_mkcond /=.
apply: eq_bigr => l _; rewrite keys_ofE.
by case: (target_of x l == i); case: (key_of x l == j); rewrite ?mulr1 ?mulr0.
Qed.

Let expected_share pi i j : targets_given_keys pi ->
  expectation (fun x => share (table_of x) i j) = pi i j * chance_of_key j.
Proof.
move=> given; rewrite /chance_of_key /expectation.
rewrite (partition_big keys_of xpredT) //= [in RHS](partition_big keys_of xpredT) //=.
rewrite mulr_sumr; apply: eq_bigr => ks _.
set mu := \sum_(x | keys_of x == ks) law x.
transitivity ((\sum_l (ks l == j)%:R * (pi i j * mu)) / size_of ks j).
  transitivity (\sum_(x | keys_of x == ks) \sum_l
      (ks l == j)%:R / size_of ks j * (law x * (target_of x l == i)%:R)).
    apply: eq_bigr => x /eqP <-; rewrite share_of_cell mulrA mulr_sumr mulr_suml.
    by apply: eq_bigr => l _; mc_ring R.
  rewrite exchange_big /= mulr_suml; apply: eq_bigr => l _.
  rewrite -mulr_sumr given -/mu; case: eqP => [->|_]; mc_ring R.
transitivity (pi i j * (mu * ((0 < size_of ks j)%R)%:R)); last first.
  congr (_ * _); rewrite /mu mulr_suml; apply: eq_bigr => x /eqP <-.
  by rewrite /matched key_total_of.
rewrite -mulr_suml -/(size_of ks j).
have [z|ne] := eqVneq (size_of ks j) 0; first by rewrite z ltxx invr0 !mulr0.
have -> : (0 < size_of ks j)%R by rewrite lt_def ne sumr_ge0 // => l _; rewrite ler0n.
by mc_field R; apply/eqP.
Qed.

(** Keys that may depend on each other. *)
Theorem generator_expected_cap pi : 0 < total o -> targets_given_keys pi ->
  expectation (fun x => cap o (table_of x))
    = \sum_j \sum_i o i j / total o * pi i j * chance_of_key j.
Proof.
move=> _ given; transitivity (\sum_j \sum_i
    o i j / total o * expectation (fun x => share (table_of x) i j)).
  transitivity (\sum_x \sum_j \sum_i o i j / total o * (law x * share (table_of x) i j)).
    apply: eq_bigr => x _; rewrite /cap correct_all; last exact: table_of_nonneg.
    rewrite mulr_suml mulr_sumr; apply: eq_bigr => j _.
    rewrite mulr_suml mulr_sumr; apply: eq_bigr => i _.
    by mc_ring R.
  rewrite exchange_big; apply: eq_bigr => j _; rewrite exchange_big.
  by apply: eq_bigr => i _; rewrite mulr_sumr.
apply: eq_bigr => j _; apply: eq_bigr => i _.
by rewrite (expected_share i j given) mulrA.
Qed.

End Generator.

Section Multinomial.

Variables (R : realFieldType) (T K : finType) (p : table R T K).
Hypotheses (p0 : nonneg p) (p1 : total p = 1).
Add Field R_field : (field_laws R).

(** m independent records. *)
Definition multinomial m (x : release T K m) : R :=
  \prod_l p (target_of x l) (key_of x l).

Section Fixed.

Variable m : nat.

(** A product over the records has a mean that is the product of the means. *)
Let sum_product (g : 'I_m -> T * K -> R) :
  \sum_(x : release T K m) \prod_l g l (x l) = \prod_l \sum_j \sum_i g l (i, j).
Proof.
rewrite -(bigA_distr_bigA g) /=; apply: eq_bigr => l _.
by rewrite exchange_big pair_bigA /=; apply: eq_bigr => -[i j].
Qed.

Lemma multinomial_ge0 (x : release T K m) : 0 <= multinomial x.
Proof. by apply: prodr_ge0 => l _; exact: p0. Qed.

Lemma multinomial_sum : \sum_(x : release T K m) multinomial x = 1.
Proof.
rewrite (sum_product (fun _ c => p c.1 c.2)) /=.
by apply: big1 => l _; exact: p1.
Qed.

Let key_indicator (ks : {ffun 'I_m -> K}) (x : release T K m) :
  (keys_of x == ks)%:R = \prod_l ((x l).2 == ks l)%:R :> R.
Proof.
have [e|ne] := eqVneq (keys_of x) ks.
  rewrite -e big1 // => l _; by rewrite keys_ofE eqxx.
have [l nl] : exists l, (x l).2 != ks l.
  apply/existsP; rewrite -negb_forall; apply/negP => /forallP h.
  by case/negP: ne; apply/eqP/ffunP => l; rewrite keys_ofE; apply/eqP; exact: h.
by rewrite (bigD1 l) //= (negbTE nl) mul0r.
Qed.

Let sum_of_keys (ks : {ffun 'I_m -> K}) (h : 'I_m -> T -> R) :
  \sum_(x : release T K m | keys_of x == ks)
      multinomial x * \prod_l h l (target_of x l)
    = \prod_l \sum_i p i (ks l) * h l i.
Proof.
rewrite big_mkcond /=.
pose g l (c : T * K) : R := (c.2 == ks l)%:R * (p c.1 c.2 * h l c.1).
transitivity (\sum_(x : release T K m) \prod_l g l (x l)).
  apply: eq_bigr => x _; rewrite /g !big_split /= -key_indicator.
  by case: ifP => _; rewrite ?mul1r ?mul0r.
rewrite sum_product; apply: eq_bigr => l _.
rewrite (bigD1 (ks l)) //= [X in _ + X]big1 => [|j /negbTE ne]; last first.
  by apply: big1 => i _; rewrite /g /= ne mul0r.
by rewrite addr0; apply: eq_bigr => i _; rewrite /g /= eqxx mul1r.
Qed.

Lemma multinomial_given_keys :
  targets_given_keys (@multinomial m) (fun i j => p i j / key_total p j).
Proof.
move=> ks l0 i.
pose h l (i' : T) : R := if l == l0 then (i' == i)%:R else 1.
have hx (x : release T K m) : \prod_l h l (target_of x l) = (target_of x l0 == i)%:R.
  by rewrite (bigD1 l0) //= /h eqxx big1 ?mulr1 // => l /negbTE ->.
rewrite (eq_bigr (fun x => multinomial x * \prod_l h l (target_of x l))); last first.
  by move=> x _; rewrite hx.
rewrite (sum_of_keys ks h).
rewrite [in RHS](eq_bigr (fun x : release T K m => multinomial x
  * \prod_l (fun (_ : 'I_m) (_ : T) => 1 : R) l (target_of x l))); last first.
  by move=> x _; rewrite [X in _ * X]big1 ?mulr1.
rewrite (sum_of_keys ks (fun _ _ => 1)) [LHS](bigD1 l0) //=.
rewrite [X in _ = _ * X](bigD1 l0) //= mulrA; congr (_ * _).
  rewrite (bigD1 i) //= /h !eqxx mulr1 big1 => [|i' /negbTE ne]; last by rewrite ne mulr0.
  rewrite addr0; under [in RHS]eq_bigr do rewrite mulr1.
  by rewrite -/(key_total p (ks l0)) share_total.
by apply: eq_bigr => l /negbTE ne; apply: eq_bigr => i' _; rewrite /h ne.
Qed.

Lemma multinomial_chance j :
  chance_of_key (@multinomial m) j = 1 - (1 - key_total p j) ^+ m.
Proof.
have absent : \sum_(x : release T K m) multinomial x * (~~ matched (table_of R x) j)%:R
    = (1 - key_total p j) ^+ m.
  transitivity (\sum_(x : release T K m) \prod_l (p (x l).1 (x l).2 * ((x l).2 != j)%:R)).
    apply: eq_bigr => x _; rewrite big_split /=; congr (_ * _).
    rewrite /matched /table_of key_total_count ltr0n card_gt0.
    case: (set_0Vmem [set l | key_of x l == j]) => [e|[l]].
      rewrite e eqxx /= big1 // => l _; suff -> : (x l).2 != j by [].
      by move/setP/(_ l): e; rewrite !inE => ->.
    rewrite inE => xl; rewrite negbK; have -> /= : [set l | key_of x l == j] == set0 = false.
      by apply/negbTE/set0Pn; exists l; rewrite inE.
    by rewrite (bigD1 l) //= -/(key_of x l) xl mul0r.
  rewrite (sum_product (fun _ c => p c.1 c.2 * (c.2 != j)%:R)) /=.
  rewrite big_const_ord iter_mulr_1; congr (_ ^+ _).
  have -> : 1 - key_total p j = \sum_(k | k != j) key_total p k.
    by rewrite -p1 /total (bigD1 j) //= addrAC subrr add0r.
  rewrite (bigD1 j) //= [X in X + _]big1 => [|i _]; last by rewrite eqxx mulr0.
  rewrite add0r; apply: eq_bigr => k ne; apply: eq_bigr => i _.
  by rewrite ne mulr1.
rewrite -absent -[X in _ = X - _]multinomial_sum /chance_of_key /expectation -sumrB.
apply: eq_bigr => x _; case: (matched _ j) => /=.
  by rewrite mulr1 mulr0 subr0.
by rewrite mulr0 mulr1 subrr.
Qed.

(** Independent records. *)
Theorem multinomial_expected_cap (o : table R T K) : 0 < total o ->
  expectation (@multinomial m) (fun x => cap o (table_of R x))
    = \sum_j \sum_i o i j / total o * (p i j / key_total p j)
                    * (1 - (1 - key_total p j) ^+ m).
Proof.
move=> n0; rewrite (generator_expected_cap n0 multinomial_given_keys).
by apply: eq_bigr => j _; apply: eq_bigr => i _; rewrite multinomial_chance.
Qed.

End Fixed.

(** More records never lower the mean. *)
Theorem multinomial_rises (o : table R T K) m m' : nonneg o ->
  0 < total o -> (m <= m')%N ->
  expectation (@multinomial m) (fun x => cap o (table_of R x))
    <= expectation (@multinomial m') (fun x => cap o (table_of R x)).
Proof.
move=> o0 n0 le; rewrite !multinomial_expected_cap //; apply: ler_sum => j _; apply: ler_sum => i _.
have w1 : key_total p j <= 1 by rewrite -p1 key_total_le_total.
have w0 : 0 <= key_total p j by exact: key_total_ge0.
apply: ler_wpmul2l; first by rewrite mulr_ge0 // divr_ge0 ?total_ge0.
rewrite ler_add2l ler_opp2 ler_wiexpn2l ?subr_ge0 //.
by rewrite ger_addl oppr_le0.
Qed.

End Multinomial.
