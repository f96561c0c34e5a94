(** * What differential privacy promises one person

    Chapter: theory/guarantees.md, statement dp-bound.

    In words. A mechanism gives each data set a law on finitely many releases.
    It is private with the factor e = exp(epsilon) >= 1 if, for neighbours, no
    set of releases is more than e times as likely under one as under the other.
    O_i is the data set in which one person has target i, p any prior.
    - The expected CAP of the person is at most the greatest of
      e p(A) / (e + |A| - 1) over nonempty sets A of targets, which is the
      greatest of e P_s / (e + s - 1) over s. Randomised response on A attains
      its term. A uniform prior gives e / (e + I - 1).
    - The bound is the greatest p exactly if e times any other p is at most it.
      It never falls in e, and it is above every r < 1 from e = I / (1 - r), but
      never above 1. It is at most r exactly if e (P_s - r) <= r (s - 1) for all s,
      and for no e if r is less than the greatest p.
    - Given a match (version 2) the bound is e p / (1 - p + e p) with the
      greatest p, attained by a table of one record or none. It is at least the
      other bound.
    - Randomised response of all records with a set A that does not depend on
      the data is private.
    - Where a release is possible for one data set and impossible for a
      neighbour, no factor is enough. So randomised response with the set that
      the margin of the data themselves selects is private for no epsilon. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields counts attainable.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Mechanisms.

Variables (R : realFieldType) (D : Type) (X : finType).
Implicit Types (M : D -> X -> R) (d : D) (e : R) (E : {set X}) (u : X -> R) (adj : D -> D -> Prop).

Definition mechanism M :=
  (forall d x, 0 <= M d x) /\ (forall d, \sum_x M d x = 1).

Definition prob M d E := \sum_(x in E) M d x.

(** Neighbours in both orders: e is exp(epsilon). *)
Definition private (adj : D -> D -> Prop) e M := forall d d', adj d d' ->
  forall E, prob M d E <= e * prob M d' E /\ prob M d' E <= e * prob M d E.

(** The mean of a function of the release. *)
Definition mean M d u := \sum_x M d x * u x.

Lemma private_points adj e M : private adj e M <->
  forall d d', adj d d' ->
  forall x, M d x <= e * M d' x /\ M d' x <= e * M d x.
Proof.
split=> [pr d d' a x|pr d d' a E].
  by have := pr d d' a [set x]; rewrite /prob !big_set1.
rewrite /prob !mulr_sumr.
by split; apply: ler_sum => x _; have [] := pr d d' a x.
Qed.

Lemma mean_private adj e M d d' u : private adj e M -> adj d d' ->
  (forall x, 0 <= u x) ->
  mean M d u <= e * mean M d' u /\ mean M d' u <= e * mean M d u.
Proof.
move=> /private_points pr a u0; rewrite /mean !mulr_sumr.
by split; apply: ler_sum => x _; rewrite mulrA ler_wpmul2r //;
  have [] := pr d d' a x.
Qed.

Lemma mean_ge0 M d u : mechanism M -> (forall x, 0 <= u x) -> 0 <= mean M d u.
Proof.
by move=> [M0 _] u0; apply: sumr_ge0 => x _; rewrite mulr_ge0.
Qed.

Lemma mean_compl M d u : mechanism M ->
  mean M d (fun x => 1 - u x) = 1 - mean M d u.
Proof.
move=> [_ M1]; rewrite -[X in _ = X - _](M1 d) /mean -sumrB.
by apply: eq_bigr => x _; rewrite mulrBr mulr1.
Qed.

Lemma mean_le1 M d u : mechanism M -> (forall x, u x <= 1) -> mean M d u <= 1.
Proof.
move=> mM u1; rewrite -subr_ge0 -mean_compl //; apply: mean_ge0 => // x.
by rewrite subr_ge0.
Qed.

(** No factor, however great, where the possible releases depend on the data. *)
Theorem no_epsilon adj M d d' x : adj d d' -> M d x = 0 -> 0 < M d' x ->
  forall e, ~ private adj e M.
Proof.
move=> a zero pos e /private_points /(_ d d' a x)[_].
by rewrite zero mulr0 leNgt pos.
Qed.

(** A program that releases as many records as it reads, from two neighbours of
    which one has a record more. *)
Theorem no_epsilon_same_size (size_of : D -> nat) (released : X -> nat)
    (adj : D -> D -> Prop) M d d' : mechanism M ->
  (forall x, 0 < M d x -> released x = size_of d) ->
  (forall x, 0 < M d' x -> released x = size_of d') ->
  adj d d' -> size_of d <> size_of d' ->
  forall e, ~ private adj e M.
Proof.
move=> [M0 M1] same same' a ne e.
have [x Mx] : exists x, 0 < M d' x.
  have [/existsP //|] := boolP [exists x, 0 < M d' x].
  rewrite negb_exists => /forallP none; have := M1 d'.
  rewrite big1 => [/esym/eqP|x _]; first by rewrite oner_eq0.
  by apply/eqP; rewrite eq_le M0 andbT leNgt none.
apply: (@no_epsilon adj M d d' x a _ Mx e).
apply/eqP; rewrite eq_le M0 andbT leNgt; apply/negP => Md; apply: ne.
by rewrite -(same _ Md); exact: same'.
Qed.

End Mechanisms.

(** What a release says of a person: a number from 0 for each target, at most 1
    in sum, such as the individual CAPs of a key. *)
Definition attribution (R : realFieldType) (X T : finType) (q : X -> T -> R) :=
  (forall x i, 0 <= q x i) /\ (forall x, \sum_i q x i <= 1).

Theorem share_attribution (R : realFieldType) (X T K : finType)
    (s : X -> table R T K) k :
  (forall x, nonneg (s x)) -> attribution (fun x i => share (s x) i k).
Proof.
move=> s0; split=> [x i|x]; first exact: share_ge0.
have [m|m] := boolP (matched (s x) k); first by rewrite theorem_1.
by rewrite theorem_1_unmatched ?ler01.
Qed.

(** The nearest keys, or any set of keys that depends on the release. *)
Theorem pooled_attribution (R : realFieldType) (X T K : finType)
    (s : X -> table R T K) (H : X -> {set K}) :
  (forall x, nonneg (s x)) ->
  attribution (fun x i => (\sum_(k in H x) s x i k)
                          / (\sum_(k in H x) key_total (s x) k)).
Proof.
move=> s0; have num0 x i : 0 <= \sum_(k in H x) s x i k.
  by apply: sumr_ge0 => k _; exact: s0.
have den0 x : 0 <= \sum_(k in H x) key_total (s x) k.
  by apply: sumr_ge0 => k _; exact: key_total_ge0.
split=> [x i|x]; first by rewrite divr_ge0.
rewrite -mulr_suml exchange_big /= -/(key_total _ _).
have [->|ne] := eqVneq (\sum_(k in H x) key_total (s x) k) 0.
  by rewrite invr0 mulr0 ler01.
by rewrite divff.
Qed.

Section OneRecord.

Variables (R : realFieldType) (T : finType) (p : T -> R) (e : R).
Hypotheses (p0 : forall i, 0 <= p i) (p1 : \sum_i p i = 1) (e1 : 1 <= e).
Add Field R_field : (field_laws R).

Let e0 : 0 < e := lt_le_trans ltr01 e1.

(** The value of randomised response on a set of targets. *)
Definition response_value (A : {set T}) :=
  e * (\sum_(i in A) p i) / (e + #|A|%:R - 1).

Lemma denominator_gt0 (A : {set T}) : A != set0 -> 0 < e + #|A|%:R - 1.
Proof.
rewrite -card_gt0 => A0; rewrite -addrA ltr_paddr // subr_ge0 ler1n //.
Qed.

Section Bound.

Variables (D : Type) (X : finType) (M : D -> X -> R) (O : T -> D).
Variables (adj : D -> D -> Prop) (q : X -> T -> R).
Hypotheses (mM : mechanism M) (pM : private adj e M).
Hypotheses (neighbours : forall i j, i != j -> adj (O i) (O j)).
Hypotheses (qa : attribution q).

(** The expected individual CAP if the person has target i. *)
Let a i := mean M (O i) (q^~ i).

Definition expected_individual_cap := \sum_i p i * a i.

Lemma a_ge0 i : 0 <= a i.
Proof. by apply: mean_ge0 => // x; exact: qa.1. Qed.

(** Equation (1) of the proof, times e. *)
Lemma others t : e * a t + \sum_(i | i != t) a i <= e.
Proof.
have [q0 q1] := qa.
have all1 : \sum_i mean M (O t) (q^~ i) <= 1.
  rewrite exchange_big /= -[leRHS](mM.2 (O t)); apply: ler_sum => x _.
  by rewrite -mulr_sumr ler_pimulr // mM.1.
apply: (@le_trans _ _ (e * \sum_i mean M (O t) (q^~ i))); last first.
  by rewrite ler_pimulr // ltW.
rewrite [in leRHS](bigD1 t) //= mulrDr ler_add2l mulr_sumr; apply: ler_sum => i ne.
by have [] := mean_private pM (neighbours ne) (fun x => q0 x i).
Qed.

(** Part 1: the bound, by the set of targets with e p_i > B. *)
Theorem dp_bound B :
  is_greatest (fun A : {set T} => A != set0) response_value B ->
  expected_individual_cap <= B.
Proof.
move=> [[A0 A0n A0B] most].
have B0 : 0 <= B.
  rewrite -A0B divr_ge0 ?(ltW (denominator_gt0 A0n)) // mulr_ge0 ?(ltW e0) //.
  by apply: sumr_ge0 => i _; exact: p0.
pose S := \sum_i a i.
pose A := [set i | B < e * p i].
have bnd t : (e - 1) * a t <= e - S.
  rewrite ler_subr_addr; apply: le_trans (others t).
  rewrite /S (bigD1 t) //=.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; mc_ring R.
have in_A : e * (\sum_(i in A) p i) - B * #|A|%:R <= (e - 1) * B.
  have [->|ne] := eqVneq A set0.
    by rewrite big_set0 cards0 !mulr0 subr0 mulr_ge0 ?subr_ge0.
  have := most A ne; rewrite /response_value ler_pdivr_mulr ?denominator_gt0 // => le.
  rewrite ler_subl_addr; apply: le_trans le _.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; mc_ring R.
have S_le : S <= e.
  have [t0 _|e'] := pickP T; last by rewrite /S big_pred0 ?(ltW e0).
  rewrite -subr_ge0; apply: le_trans (bnd t0).
  by rewrite mulr_ge0 ?subr_ge0 ?a_ge0.
have main : (e - 1) * (e * expected_individual_cap - B * S)
    <= (e - 1) * (B * (e - S)).
  have -> : e * expected_individual_cap - B * S = \sum_i (e * p i - B) * a i.
    rewrite /expected_individual_cap /S !mulr_sumr -sumrB.
    by apply: eq_bigr => i _; mc_ring R.
  rewrite mulr_sumr (bigID (mem A)) /= -[leRHS]addr0.
  apply: ler_add; last first.
    rewrite -oppr_ge0 -sumrN; apply: sumr_ge0 => i; rewrite inE -leNgt => le.
    rewrite -mulrN mulr_ge0 ?subr_ge0 // -mulNr mulr_ge0 ?a_ge0 //.
    by rewrite opprB subr_ge0.
  apply: (@le_trans _ _ (\sum_(i in A) (e * p i - B) * (e - S))).
    apply: ler_sum => i; rewrite inE => lt.
    by rewrite mulrCA ler_wpmul2l // subr_ge0 ltW.
  rewrite -mulr_suml sumrB -mulr_sumr sumr_const -mulr_natr mulrA.
  by rewrite ler_wpmul2r ?subr_ge0.
have [eq1|ne1] := eqVneq e 1.
  have pB i : p i <= B.
    have := most [set i]; rewrite /response_value big_set1 cards1 => le.
    by have := le _; rewrite eq1 addrK divr1 mul1r; apply; rewrite -card_gt0 cards1.
  apply: (@le_trans _ _ (\sum_i B * a i)).
    by apply: ler_sum => i _; rewrite ler_wpmul2r ?a_ge0.
  by rewrite -mulr_sumr ler_pimulr // -[leRHS]eq1.
have gt1 : 0 < e - 1 by rewrite subr_gt0 lt_def ne1.
move: main; rewrite ler_pmul2l // mulrBr ler_subl_addr subrK mulrC.
by rewrite ler_pmul2r.
Qed.

End Bound.

(** Part 2: randomised response on a set A of targets. *)
Definition response (A : {set T}) (t y : T) : R :=
  if y \in A then
    if t \in A then (if y == t then e else 1) / (e + #|A|%:R - 1)
    else #|A|%:R^-1
  else 0.

Lemma response_mechanism A : A != set0 -> mechanism (response A).
Proof.
move=> An; have d0 := denominator_gt0 An; split=> [t y|t].
  rewrite /response; case: ifP => // _; case: ifP => _; last by rewrite invr_ge0 ler0n.
  apply: divr_ge0; last exact: ltW.
  by case: ifP => _; [exact: ltW | exact: ler01].
rewrite /response -big_mkcond /=; case: (boolP (t \in A)) => tA.
  rewrite -mulr_suml (bigD1 t) //= eqxx.
  rewrite (eq_bigr (fun=> 1)) => [|y /andP[_ /negbTE -> //]].
  have cA : (#|A| = 1 + #|[set y in A | y != t]|)%N.
    rewrite (cardsD1 t) tA; congr (_ + _)%N; apply: eq_card => y.
    by rewrite !inE andbC.
  rewrite sumr_const.
  have -> : #|[pred y | (y \in A) && (y != t)]| = #|[set y in A | y != t]|.
    by apply: eq_card => y; rewrite !inE.
  have -> : e + #|[set y in A | y != t]|%:R = e + #|A|%:R - 1.
    by rewrite cA natrD; mc_ring R.
  by rewrite divff ?gt_eqF.
by rewrite sumr_const -[LHS]mulr_natr mulVf // pnatr_eq0 -lt0n card_gt0.
Qed.

Lemma response_ratio A t t' y : A != set0 -> response A t y <= e * response A t' y.
Proof.
move=> An; have d0 := denominator_gt0 An.
have c1 : 1 <= #|A|%:R :> R by rewrite ler1n card_gt0.
have c0 : 0 < #|A|%:R :> R := lt_le_trans ltr01 c1.
rewrite /response; case: ifP => yA; last by rewrite mulr0.
have le_e x : (if y == x then e else 1) <= e by case: ifP.
have ge_1 x : 1 <= (if y == x then e else 1) by case: ifP.
case: (boolP (t \in A)) => tA; case: (boolP (t' \in A)) => t'A.
- rewrite mulrA ler_pmul2r ?invr_gt0 //; apply: le_trans (le_e t) _.
  by rewrite ler_pmulr.
- rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr //.
  apply: le_trans (ler_wpmul2r (ltW c0) (le_e t)) _.
  by rewrite ler_pmul2l // addrAC ler_addr subr_ge0.
- rewrite mulrA -[leLHS]mul1r ler_pdivr_mulr // mulrAC ler_pdivl_mulr // mul1r.
  apply: (@le_trans _ _ (e * #|A|%:R)); last first.
    by rewrite ler_wpmul2r ?(ltW c0) // ler_pmulr.
  rewrite -subr_ge0 (_ : _ - _ = (e - 1) * (#|A|%:R - 1)); last by mc_ring R.
  by rewrite mulr_ge0 ?subr_ge0.
- by rewrite ler_pmull // invr_gt0.
Qed.

Lemma response_private A adj : A != set0 -> private adj e (response A).
Proof.
move=> An; apply/private_points => t t' _ y.
by split; exact: response_ratio.
Qed.

(** One record is released, with the person's key: its CAP is 1 or 0. *)
Lemma released_share (K : finType) (k : K) (y i : T) :
  share (one_cell 1 y k : table R T K) i k = (i == y)%:R.
Proof.
rewrite /share one_target_key_total /one_cell /one_target eqxx divr1.
by case: eqP.
Qed.

Theorem dp_bound_attained (K : finType) (k : K) (A : {set T}) : A != set0 ->
  [/\ mechanism (response A), private (fun=> fun=> True) e (response A)
    & expected_individual_cap (response A) id
        (fun y i => share (one_cell 1 y k : table R T K) i k)
      = response_value A].
Proof.
move=> An; split; [exact: response_mechanism | exact: response_private |].
rewrite /expected_individual_cap /response_value mulr_sumr mulr_suml [RHS]big_mkcond /=.
apply: eq_bigr => i _; rewrite /mean (bigD1 i) //= big1 => [|y /negbTE ne].
  rewrite released_share eqxx mulr1 addr0 /response eqxx.
  by case: (boolP (i \in A)) => _; mc_ring R.
by rewrite released_share eq_sym ne mulr0.
Qed.

(** The greatest value in terms of the sums P_s of the s largest p. *)
Theorem dp_bound_terms (L : nat -> {set T}) B :
  (forall s, (0 < s <= #|T|)%N -> largest p (L s) /\ #|L s| = s) ->
  is_greatest (fun A : {set T} => A != set0) response_value B <->
  is_greatest (fun s => 0 < s <= #|T|)%N
    (fun s => e * (\sum_(i in L s) p i) / (e + s%:R - 1)) B.
Proof.
move=> Ls.
have Ln s : (0 < s <= #|T|)%N -> L s != set0.
  by move=> sT; have [_ c] := Ls s sT; rewrite -card_gt0 c; case/andP: sT.
have Lv s : (0 < s <= #|T|)%N ->
    response_value (L s) = e * (\sum_(i in L s) p i) / (e + s%:R - 1).
  by move=> sT; have [_ c] := Ls s sT; rewrite /response_value c.
have cA (A : {set T}) : A != set0 -> (0 < #|A| <= #|T|)%N.
  by move=> An; rewrite card_gt0 An max_card.
have le (A : {set T}) : A != set0 -> response_value A <= response_value (L #|A|).
  move=> An; have [big c] := Ls _ (cA A An).
  rewrite /response_value c ler_pmul2r ?invr_gt0 ?denominator_gt0 //.
  by rewrite ler_pmul2l //; apply: largest_sum => //; rewrite c.
split=> [[[A An AB] most]|[[s sT sB] most]]; split.
- exists #|A|; first exact: cA.
  apply/eqP; rewrite eq_le -Lv ?cA // most ?Ln ?cA //=.
  by rewrite -AB le.
- by move=> s sT; rewrite -Lv // most ?Ln.
- by exists (L s); [exact: Ln | rewrite Lv].
- move=> A An; apply: le_trans (le A An) _.
  by rewrite Lv ?cA //; exact: most (cA A An).
Qed.

(** Part 4: when the bound is the guess without a release. *)
Theorem dp_bound_modal B t : (forall i, p i <= p t) ->
  is_greatest (fun A : {set T} => A != set0) response_value B ->
  B = p t <-> forall i, i != t -> e * p i <= p t.
Proof.
move=> modal [[A0 A0n A0B] most].
have single i : response_value [set i] = p i.
  by rewrite /response_value big_set1 cards1 addrK mulrC mulKf // gt_eqF.
have one_n i : [set i] != set0 :> {set T} by rewrite -card_gt0 cards1.
split=> [eB i ne|le].
  have pair_n : [set t; i] != set0 by rewrite -card_gt0 cards2 eq_sym ne.
  have := most _ pair_n; rewrite eB /response_value.
  rewrite ler_pdivr_mulr ?denominator_gt0 // cards2 eq_sym ne /=.
  rewrite big_setU1 ?inE 1?eq_sym //= big_set1 => h.
  rewrite -(ler_add2l (e * p t)) -mulrDr; apply: le_trans h _.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; mc_ring R.
apply/eqP; rewrite eq_le -{2}(single t) most // andbT -A0B.
rewrite /response_value ler_pdivr_mulr ?denominator_gt0 //.
have part (A : {set T}) : t \notin A ->
    e * (\sum_(i in A) p i) <= p t * #|A|%:R.
  move=> tA; rewrite mulr_sumr mulr_natr -sumr_const; apply: ler_sum => i iA.
  by apply: le; apply: contraNneq tA => <-.
have [tA|tA] := boolP (t \in A0).
  rewrite (big_setD1 t) //= mulrDr (cardsD1 t) tA natrD /=.
  apply: (@le_trans _ _ (e * p t + p t * #|A0 :\ t|%:R)).
    by rewrite ler_add2l part // !inE eqxx.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; mc_ring R.
apply: le_trans (part _ tA) _; rewrite ler_wpmul2l //.
by rewrite addrAC ler_addr subr_ge0.
Qed.

End OneRecord.

Section InEpsilon.

Variables (R : realFieldType) (T : finType) (p : T -> R).
Hypotheses (p0 : forall i, 0 <= p i) (p1 : \sum_i p i = 1).
Implicit Types (e r B : R).
Add Field R_field : (field_laws R).

Let set_le1 (A : {set T}) : 0 <= \sum_(i in A) p i <= 1.
Proof.
rewrite sumr_ge0 //= -p1 [leRHS](bigID (mem A)) /= ler_addl.
by rewrite sumr_ge0.
Qed.

(** Part 4: B never falls in epsilon. *)
Theorem dp_bound_rising e e' B B' : 1 <= e -> e <= e' ->
  is_greatest (fun A : {set T} => A != set0) (response_value p e) B ->
  is_greatest (fun A : {set T} => A != set0) (response_value p e') B' ->
  B <= B'.
Proof.
move=> e1 ee [[A An <-] _] [_ most]; apply: le_trans (most A An).
have /andP[s0 _] := set_le1 A; have c1 : 1 <= #|A|%:R :> R by rewrite ler1n card_gt0.
rewrite /response_value ler_pdivr_mulr ?denominator_gt0 // mulrAC.
rewrite ler_pdivl_mulr ?denominator_gt0 ?(le_trans e1 ee) // -subr_ge0.
rewrite [X in 0 <= X](_ : _ = (e' - e) * (\sum_(i in A) p i) * (#|A|%:R - 1)); last by mc_ring R.
by rewrite !mulr_ge0 ?subr_ge0.
Qed.

(** Part 4: B tends to 1: it is above every r < 1 from e = I / (1 - r). *)
Theorem dp_bound_limit e r B : 1 <= e -> r < 1 -> #|T|%:R / (1 - r) <= e ->
  is_greatest (fun A : {set T} => A != set0) (response_value p e) B ->
  r < B <= 1.
Proof.
move=> e1 r1 big [[A An AB] most]; have r0 : 0 < 1 - r by rewrite subr_gt0.
have e0 : 0 < e := lt_le_trans ltr01 e1.
apply/andP; split.
  have T0 : (0 < #|T|)%N by rewrite -cardsT (leq_trans _ (subset_leq_card (subsetT A))) ?card_gt0.
  have Tn : [set: T] != set0 by rewrite -card_gt0 cardsT.
  apply: lt_le_trans (most _ Tn); rewrite /response_value.
  rewrite (eq_bigl xpredT) => [|i]; last by rewrite inE.
  rewrite p1 mulr1 ltr_pdivl_mulr ?denominator_gt0 // cardsT -subr_gt0.
  move: big; rewrite ler_pdivr_mulr // => big.
  rewrite [X in 0 < X](_ : _ = e * (1 - r) - #|T|%:R + ((1 - r) * (#|T|%:R - 1) + 1)).
    rewrite ltr_paddl ?subr_ge0 // ltr_paddl ?ltr01 // mulr_ge0 ?(ltW r0) //.
    by rewrite subr_ge0 ler1n.
  by mc_ring R.
have /andP[_ s1] := set_le1 A.
rewrite -AB /response_value ler_pdivr_mulr ?denominator_gt0 // mul1r.
apply: (@le_trans _ _ e); first by rewrite ler_pimulr // ltW.
by rewrite -addrA ler_addl subr_ge0 ler1n card_gt0.
Qed.

(** Part 5: the e that keep a risk r, with the s likeliest targets L s. *)
Theorem dp_bound_risk (L : nat -> {set T}) e r B : 1 <= e ->
  (forall s, (0 < s <= #|T|)%N -> largest p (L s) /\ #|L s| = s) ->
  is_greatest (fun A : {set T} => A != set0) (response_value p e) B ->
  B <= r <-> forall s, (0 < s <= #|T|)%N ->
    e * (\sum_(i in L s) p i - r) <= r * (s%:R - 1).
Proof.
move=> e1 Ls; rewrite (dp_bound_terms p0 e1 B Ls) => -[[s0 s0T <-] most].
have term s : (0 < s)%N -> (e * (\sum_(i in L s) p i) / (e + s%:R - 1) <= r)
    = (e * (\sum_(i in L s) p i - r) <= r * (s%:R - 1)).
  move=> s1; rewrite ler_pdivr_mulr; last first.
    by rewrite -addrA ltr_paddr ?(lt_le_trans ltr01 e1) // subr_ge0 ler1n.
  rewrite -[X in X = _]subr_ge0 -[X in _ = X]subr_ge0; congr (0 <= _); mc_ring R.
split=> [le s sT|all].
  by have /andP[s1 _] := sT; rewrite -term //; apply: le_trans le; exact: most.
by have /andP[s1 _] := s0T; rewrite term //; exact: all.
Qed.

(** Part 5: no e keeps a risk below the greatest p. *)
Theorem dp_bound_no_less e r B t : 1 <= e -> r < p t ->
  is_greatest (fun A : {set T} => A != set0) (response_value p e) B -> r < B.
Proof.
move=> e1 rt [_ most]; have e0 : 0 < e := lt_le_trans ltr01 e1.
apply: lt_le_trans rt _; have := most [set t].
rewrite /response_value big_set1 cards1 addrK mulrC mulKf ?gt_eqF //.
by apply; rewrite -card_gt0 cards1.
Qed.

End InEpsilon.

Section UniformPrior.

Variables (R : realFieldType) (T : finType) (e : R).
Hypotheses (e1 : 1 <= e) (T0 : (0 < #|T|)%N).
Add Field R_field : (field_laws R).

Let uniform (i : T) : R := #|T|%:R^-1.

(** Part 4: a uniform prior, all I targets. *)
Theorem dp_bound_uniform :
  is_greatest (fun A : {set T} => A != set0) (response_value uniform e)
    (e / (e + #|T|%:R - 1)).
Proof.
have e0 : 0 < e := lt_le_trans ltr01 e1.
have I0 : 0 < #|T|%:R :> R by rewrite ltr0n.
have Tn : [set: T] != set0 by rewrite -card_gt0 cardsT.
have sum_uniform (A : {set T}) : \sum_(i in A) uniform i = #|A|%:R / #|T|%:R.
  by rewrite sumr_const -[LHS]mulr_natl.
split=> [|A An].
  exists [set: T] => //; rewrite /response_value sum_uniform cardsT.
  by rewrite divff ?gt_eqF // mulr1.
have dT := denominator_gt0 e1 Tn; rewrite cardsT in dT.
have dA := denominator_gt0 e1 An.
rewrite /response_value sum_uniform ler_pdivr_mulr // mulrAC ler_pdivl_mulr //.
rewrite -!mulrA ler_pmul2l // mulrCA ler_pdivr_mull //.
rewrite -subr_ge0 (_ : _ - _ = (e - 1) * (#|T|%:R - #|A|%:R)); last by mc_ring R.
by rewrite mulr_ge0 ?subr_ge0 // ler_nat max_card.
Qed.

End UniformPrior.

Section VersionDrop.

Variables (R : realFieldType) (T : finType) (p : T -> R) (e : R) (t1 : T).
Hypotheses (p0 : forall i, 0 <= p i) (p1 : \sum_i p i = 1) (e1 : 1 <= e).
Hypothesis modal : forall i, p i <= p t1.
Add Field R_field : (field_laws R).

Let e0 : 0 < e := lt_le_trans ltr01 e1.

Definition drop_bound := e * p t1 / (1 - p t1 + e * p t1).

Lemma p_le1 i : p i <= 1.
Proof. by rewrite -p1 (bigD1 i) //= ler_addl sumr_ge0. Qed.

Lemma p_modal_gt0 : 0 < p t1.
Proof.
rewrite lt_def p0 andbT; apply/eqP => z; have := p1; rewrite big1 => [/esym/eqP|i _].
  by rewrite oner_eq0.
by apply/eqP; rewrite eq_le p0 andbT -z.
Qed.

Lemma drop_denominator_gt0 i : 0 < 1 - p i + e * p i.
Proof.
rewrite (_ : _ + _ = 1 + (e - 1) * p i); last by mc_ring R.
by apply: ltr_paddr; [rewrite mulr_ge0 ?subr_ge0 | exact: ltr01].
Qed.

(** Part 3. m tells the releases that have the key. *)
Theorem dp_bound_drop (D : Type) (X : finType) (M : D -> X -> R) (O : T -> D)
    (adj : D -> D -> Prop) (q : X -> T -> R) (m : pred X) :
  mechanism M -> private adj e M ->
  (forall i j, i != j -> adj (O i) (O j)) ->
  (forall x i, 0 <= q x i) -> (forall x, m x -> \sum_i q x i = 1) ->
  0 < \sum_i p i * (\sum_(x | m x) M (O i) x) ->
  (\sum_i p i * (\sum_(x | m x) M (O i) x * q x i))
    / (\sum_i p i * (\sum_(x | m x) M (O i) x)) <= drop_bound.
Proof.
move=> mM /private_points pM nb q0 q1 pos; rewrite ler_pdivr_mulr //.
have point x t : p t * M (O t) x <= drop_bound * (\sum_i p i * M (O i) x).
  have [z|Mt] := eqVneq (M (O t) x) 0.
    rewrite z mulr0 mulr_ge0 ?divr_ge0 ?(ltW (drop_denominator_gt0 _)) //.
      by rewrite mulr_ge0 ?(ltW e0).
    by apply: sumr_ge0 => i _; rewrite mulr_ge0 // mM.1.
  have low : p t * M (O t) x + (1 - p t) * (M (O t) x / e) <= \sum_i p i * M (O i) x.
    rewrite [leRHS](bigD1 t) //= ler_add2l -p1 [X in X - _](bigD1 t) //= addrAC subrr add0r.
    rewrite mulr_suml; apply: ler_sum => i ne; rewrite ler_wpmul2l //.
    by rewrite ler_pdivr_mulr // mulrC; have [] := pM _ _ (nb _ _ ne) x.
  apply: (@le_trans _ _ (drop_bound * (p t * M (O t) x + (1 - p t) * (M (O t) x / e)))).
    rewrite (_ : p t * M (O t) x + _ = M (O t) x / e * (1 - p t + e * p t)); last first.
      by mc_field R; apply/eqP; rewrite gt_eqF.
    rewrite /drop_bound mulrAC ler_pdivl_mulr ?drop_denominator_gt0 //.
    rewrite (_ : p t * _ * _ = M (O t) x / e * (e * p t * (1 - p t1 + e * p t1))); last first.
      by mc_field R; apply/eqP; rewrite gt_eqF.
    rewrite [leRHS]mulrCA ler_wpmul2l ?divr_ge0 ?mM.1 ?(ltW e0) //.
    rewrite -!mulrA ler_pmul2l // -subr_ge0.
    rewrite (_ : _ - _ = p t1 - p t); last by mc_ring R.
    by rewrite subr_ge0.
  rewrite ler_wpmul2l // divr_ge0 ?(ltW (drop_denominator_gt0 _)) //.
  by rewrite mulr_ge0 ?(ltW e0).
under eq_bigr do rewrite mulr_sumr.
under [in leRHS]eq_bigr do rewrite mulr_sumr.
rewrite exchange_big [in leRHS]exchange_big /= mulr_sumr.
apply: ler_sum => x mx.
rewrite -[leRHS]mulr1 -(q1 x mx) mulr_sumr.
by apply: ler_sum => i _; rewrite mulrA ler_wpmul2r.
Qed.

(** Part 3: it is at least the bound of the other versions. *)
Theorem dp_bound_below_drop B :
  is_greatest (fun A : {set T} => A != set0) (response_value p e) B ->
  B <= drop_bound.
Proof.
move=> [[A An <-] _]; set P := \sum_(i in A) p i.
have P1 : P <= 1 by rewrite -p1 [leRHS](bigID (mem A)) /= ler_addl sumr_ge0.
have Pt : P <= p t1 * #|A|%:R.
  by rewrite mulr_natr -sumr_const; apply: ler_sum => i _; exact: modal.
rewrite /response_value /drop_bound -/P ler_pdivr_mulr ?denominator_gt0 // mulrAC.
rewrite ler_pdivl_mulr ?drop_denominator_gt0 // -!mulrA ler_pmul2l // -subr_ge0.
rewrite [X in 0 <= X](_ : _ = (e - 1) * (p t1 * (1 - P)) + (p t1 * #|A|%:R - P)); last by mc_ring R.
by rewrite addr_ge0 ?subr_ge0 // !mulr_ge0 ?subr_ge0.
Qed.

(** It is attained: release the likeliest target or nothing. *)
Definition drop_response (t : T) (y : bool) : R :=
  if y == (t == t1) then e / (1 + e) else 1 / (1 + e).

Theorem dp_bound_drop_attained :
  [/\ mechanism drop_response, private (fun=> fun=> True) e drop_response
    & (\sum_i p i * (\sum_(y | y) drop_response i y * (i == t1)%:R))
      / (\sum_i p i * (\sum_(y | y) drop_response i y)) = drop_bound].
Proof.
have s0 : 0 < 1 + e by exact: addr_gt0 ltr01 e0.
have yes i : \sum_(y | y) drop_response i y = drop_response i true.
  by rewrite big_mkcond big_bool /= addr0.
split.
- split=> [t y|t].
    rewrite /drop_response; case: ifP => _; apply: divr_ge0; rewrite ?ler01 //;
    exact: ltW.
  rewrite big_bool /drop_response; case: (t == t1) => /=.
    by rewrite -mulrDl [e + 1]addrC divff // gt_eqF.
  by rewrite -mulrDl divff // gt_eqF.
- apply/private_points => t t' _ y; rewrite /drop_response.
  have e_1 : e / (1 + e) <= e * (e / (1 + e)) by rewrite ler_pmull // divr_gt0.
  have one_1 : 1 / (1 + e) <= e * (1 / (1 + e)).
    by rewrite ler_pmull // divr_gt0 // ltr01.
  have e_one : e / (1 + e) <= e * (1 / (1 + e)) by rewrite mulrA mulr1.
  have one_e : 1 / (1 + e) <= e * (e / (1 + e)).
    apply: le_trans one_1 _; rewrite !mulrA ler_pmul2r ?invr_gt0 //.
    by rewrite ler_pmul2l.
  by case: (y == (t == t1)); case: (y == (t' == t1)); split.
have -> : \sum_i p i * (\sum_(y | y) drop_response i y * (i == t1)%:R)
    = p t1 * (e / (1 + e)).
  rewrite (bigD1 t1) //= [X in _ + X]big1 => [|i /negbTE ne]; last first.
    by rewrite ne [X in _ * X]big1 ?mulr0 // => y _; rewrite mulr0.
  by rewrite -mulr_suml yes /drop_response !eqxx mulr1 addr0.
have -> : \sum_i p i * (\sum_(y | y) drop_response i y)
    = p t1 * (e / (1 + e)) + (1 - p t1) * (1 / (1 + e)).
  rewrite (bigD1 t1) //= yes /drop_response eqxx; congr (_ + _).
  rewrite (eq_bigr (fun i => p i * (1 / (1 + e)))) => [|i /negbTE ne]; last first.
    by rewrite yes /drop_response ne.
  rewrite -mulr_suml; congr (_ * _).
  by rewrite -p1 [in RHS](bigD1 t1) //= addrAC subrr add0r.
have d := drop_denominator_gt0 t1.
rewrite /drop_bound; mc_field R.
split; apply/eqP; rewrite gt_eqF //.
Qed.

End VersionDrop.

(** As a table: the likeliest target, with the key, or no record. *)
Definition told (R : realFieldType) (T K : finType) (k : K) (t1 : T) (y : bool) : table R T K :=
  if y then one_cell 1 t1 k else fun _ _ => 0.

Lemma told_cap (R : realFieldType) (T K : finType) (k : K) (t1 i : T) (y : bool) :
  matched (told R k t1 y) k = y /\ (y -> share (told R k t1 y) i k = (i == t1)%:R).
Proof.
split=> [|->]; last exact: released_share.
by case: y; rewrite /told ?one_cell_matched ?ltr01 ?eqxx // /matched /key_total big1 ?ltxx.
Qed.

Theorem dp_bound_drop_cap (R : realFieldType) (T K : finType) (k : K) (p : T -> R) (e : R) (t1 : T) :
  (forall i, 0 <= p i) -> \sum_i p i = 1 -> 1 <= e -> (forall i, p i <= p t1) ->
  let m y := matched (told R k t1 y) k in
  (\sum_i p i * (\sum_(y | m y) drop_response e t1 i y * share (told R k t1 y) i k))
    / (\sum_i p i * (\sum_(y | m y) drop_response e t1 i y)) = drop_bound p e t1.
Proof.
move=> p0 p1 e1 modal m; have [_ _ <-] := dp_bound_drop_attained t1 p0 p1 e1.
have em y : m y = y by have [] := told_cap R k t1 t1 y.
congr (_ / _); apply: eq_bigr => i _; congr (_ * _); apply: eq_big => y; rewrite ?em // => my.
by have [_ ->] := told_cap R k t1 i y.
Qed.
