(** * Randomised response of all records: with a fixed prior, and with the margin

    Chapter: theory/guarantees.md, statement dp-bound, parts 6 and 7.

    In words. Every record keeps its key and answers by randomised response on
    a set A of targets.
    - The release is the table of the answers and the keys. A function of a
      private release is private.
    - If A does not depend on the data, the release is private for a change of
      one target (part 6).
    - If A is a set that is best for the target margin of the data themselves,
      it is private for no epsilon (part 7). For e > 1 two records are enough:
      of targets a and b both are released, of a and a only a. For e = 1 three
      are: of a, a, b only a is released, of a, b, b only b. A claim that such a
      release is private was false; this is its counterexample, for every e. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields counts attainable privacy.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section AllRecords.

Variables (R : realFieldType) (P T K : finType) (key : P -> K).
Implicit Types (d x : {ffun P -> T}) (A : {set T}) (e : R).

(** Data sets that differ in the target of one record. *)
Definition one_target_changed d d' := exists r, forall r', r' != r -> d r' = d' r'.

(** Every record answers by itself. *)
Definition responses A e d x : R := \prod_r response e A (d r) (x r).

Lemma response_ge0 A e t y : 1 <= e -> A != set0 -> 0 <= response e A t y.
Proof. by move=> e1 An; have [] := response_mechanism e1 An. Qed.

Lemma responses_mechanism A e : 1 <= e -> A != set0 -> mechanism (responses A e).
Proof.
move=> e1 An; split=> [d x|d].
  by apply: prodr_ge0 => r _; exact: response_ge0.
rewrite /responses -(bigA_distr_bigA (fun r y => response e A (d r) y)) /=.
by apply: big1 => r _; have [_ ->] := response_mechanism e1 An.
Qed.

(** The table that is released: the numbers of the answers with each key. *)
Definition released_table x : {ffun T * K -> 'I_(#|P|).+1} :=
  [ffun c => inord #|[set r | (x r == c.1) && (key r == c.2)]|].

Theorem released_count x i j : count R x key i j = (released_table x (i, j))%:R.
Proof. by rewrite ffunE inordK // ltnS max_card. Qed.

(** All answers are c if the table is that of answers c. *)
Lemma released_constant c x r : released_table x = released_table [ffun=> c] -> x r = c.
Proof.
move=> /ffunP/(_ (x r, key r))/(congr1 (@nat_of_ord _)).
rewrite !ffunE !inordK ?ltnS ?max_card //= => e.
have : (0 < #|[set r' | (x r' == x r) && (key r' == key r)]|)%N.
  by apply/card_gt0P; exists r; rewrite inE !eqxx.
by rewrite e => /card_gt0P[r']; rewrite inE ffunE => /andP[/eqP ->].
Qed.

(** The law of the table. *)
Definition of_tables (M : {ffun P -> T} -> {ffun P -> T} -> R) d y :=
  \sum_(x | released_table x == y) M d x.

Lemma of_tables_private adj e M : private adj e M -> private adj e (of_tables M).
Proof.
move=> pr d d' a E; have [] := pr d d' a [set x | released_table x \in E].
have same d0 : prob M d0 [set x | released_table x \in E] = prob (of_tables M) d0 E.
  rewrite /prob (partition_big released_table (mem E)) /= => [|x]; last by rewrite inE.
  apply: eq_bigr => y yE; apply: eq_bigl => x; rewrite inE.
  by case: eqP => [->|]; rewrite ?yE ?andbF.
by rewrite !same.
Qed.

(** Part 6. *)
Theorem responses_private A e : 1 <= e -> A != set0 ->
  private one_target_changed e (of_tables (responses A e)).
Proof.
move=> e1 An; apply/of_tables_private/private_points => d d' [r same] x.
pose rest := \prod_(r' | r' != r) response e A (d' r') (x r').
have rest0 : 0 <= rest by apply: prodr_ge0 => r' _; exact: response_ge0.
have -> : responses A e d' x = response e A (d' r) (x r) * rest.
  by rewrite /responses (bigD1 r).
have -> : responses A e d x = response e A (d r) (x r) * rest.
  rewrite /responses (bigD1 r) //=; congr (_ * _).
  by apply: eq_bigr => r' ne; rewrite same.
by split; rewrite mulrA ler_wpmul2r // response_ratio.
Qed.

(** The shares of the targets among the records. *)
Definition share_of d i : R := (\sum_r (d r == i)%:R) / #|P|%:R.

(** A rule that takes, for each data set, a set that is best for its margin. *)
Definition best_for_margin e (rule : {ffun P -> T} -> {set T}) := forall d,
  is_greatest (fun A : {set T} => A != set0) (response_value (share_of d) e)
    (response_value (share_of d) e (rule d)) /\ rule d != set0.

Lemma share_of_ge0 d i : 0 <= share_of d i.
Proof. by rewrite divr_ge0 ?ler0n // sumr_ge0 // => r _; rewrite ler0n. Qed.

Lemma share_of_sum d : (0 < #|P|)%N -> \sum_i share_of d i = 1.
Proof.
move=> P0; rewrite -mulr_suml exchange_big /=.
rewrite (eq_bigr (fun=> 1)) => [|r _]; last first.
  by rewrite (bigD1 (d r)) //= eqxx big1 ?addr0 // => i; rewrite eq_sym => /negbTE ->.
by rewrite sumr_const divff // pnatr_eq0 -lt0n.
Qed.

Lemma share_of_set_le1 d A : (0 < #|P|)%N -> \sum_(i in A) share_of d i <= 1.
Proof.
move=> P0; rewrite -(share_of_sum d P0) [leRHS](bigID (mem A)) /= ler_addl.
by apply: sumr_ge0 => i _; exact: share_of_ge0.
Qed.

Lemma fitted_pos e rule d x : 1 <= e -> best_for_margin e rule ->
  (forall r, x r \in rule d) -> 0 < responses (rule d) e d x.
Proof.
move=> e1 best all; have [_ An] := best d; apply: prodr_gt0 => r _.
rewrite /response all; have e0 := lt_le_trans ltr01 e1.
case: (d r \in rule d); last by rewrite invr_gt0 ltr0n card_gt0.
apply: divr_gt0; last exact: denominator_gt0.
by case: ifP => _; rewrite ?ltr01.
Qed.

(** The table of answers c is possible for one data set and not for a neighbour. *)
Lemma fitted_not_private e rule d d' c (r : P) : 1 <= e -> best_for_margin e rule ->
  one_target_changed d d' -> c \notin rule d -> c \in rule d' ->
  forall e', ~ private one_target_changed e' (of_tables (fun d => responses (rule d) e d)).
Proof.
move=> e1 best a nc c' e'; have An d0 := (best d0).2.
apply: (@no_epsilon _ _ _ _ _ d d' (released_table [ffun=> c])) => //.
  apply: big1 => x /eqP/released_constant xc; rewrite /responses (bigD1 r) //=.
  by rewrite /response (xc r) (negbTE nc) mul0r.
rewrite /of_tables (bigD1 [ffun=> c]) //=; apply: ltr_paddr.
  by apply: sumr_ge0 => x _; exact: (responses_mechanism e1 (An d')).1.
by apply: fitted_pos => // q; rewrite ffunE.
Qed.

End AllRecords.

(** There is such a rule. *)
Theorem best_rule_exists (R : realFieldType) (P T : finType) (a : T) (e : R) :
  exists rule : {ffun P -> T} -> {set T}, best_for_margin e rule.
Proof.
pose v (d : {ffun P -> T}) (A : {set T}) : R := response_value (share_of R d) e A.
have a0 : [set a] != set0 by rewrite -card_gt0 cards1.
exists (fun d => [arg max_(A > [set a] | A != set0) v d A]%O) => d.
case: arg_maxP => // A An most; split=> //; split; first by exists A.
exact: most.
Qed.

Section Counterexample.

Variables (R : realFieldType) (T : finType) (a b : T).
Hypothesis ab : a != b.
Add Field R_field : (field_laws R).

Lemma halves : 2%:R^-1 + 2%:R^-1 = 1 :> R.
Proof. by rewrite -mulr2n -[LHS]mulr_natr mulVf ?pnatr_eq0. Qed.

Section Rules.

Variables (P : finType) (e : R) (rule : {ffun P -> T} -> {set T}) (d : {ffun P -> T}).
Hypotheses (e1 : 1 <= e) (P0 : (0 < #|P|)%N) (best : best_for_margin e rule).

Let e0 : 0 < e := lt_le_trans ltr01 e1.

(** The best set has at least the value of every single target. *)
Lemma rule_single i :
  (e + #|rule d|%:R - 1) * share_of R d i
    <= e * (\sum_(i in rule d) share_of R d i).
Proof.
have [[_ most] An] := best d.
have := most [set i]; rewrite -card_gt0 cards1 => /(_ isT).
rewrite {1}/response_value big_set1 cards1 addrK mulrC mulKf ?gt_eqF //.
by rewrite /response_value ler_pdivl_mulr ?denominator_gt0 // mulrC.
Qed.

Lemma rule_card_gt0 : (0 < #|rule d|)%N.
Proof. by rewrite card_gt0; have [] := best d. Qed.

(** Of records with one target only this one is released. *)
Lemma rule_of_one : share_of R d a = 1 -> b \notin rule d.
Proof.
move=> da; apply/negP => bd; have := rule_single a; rewrite da mulr1.
have c1 : (#|rule d| <= 1)%N.
  have := rule_single a; rewrite da mulr1 => le.
  have := le_trans le (ler_wpmul2l (ltW e0) (share_of_set_le1 R d (rule d) P0)).
  by rewrite mulr1 -addrA ger_addl subr_le0 lern1.
have c : rule d = [set b].
  by apply/eqP; rewrite eq_sym eqEcard sub1set bd cards1.
rewrite c cards1 big_set1 addrK.
have -> : share_of R d b = 0; last by rewrite mulr0 leNgt e0.
apply/eqP; rewrite eq_le share_of_ge0 andbT -(ler_add2l (share_of R d a)) addr0.
rewrite {2}da -(share_of_sum R d P0) (bigD1 a) //= ler_add2l (bigD1 b) 1?eq_sym //=.
by rewrite ler_addl sumr_ge0 // => i _; exact: share_of_ge0.
Qed.

(** Of two targets with one half each both are released, if e > 1. *)
Lemma rule_of_two : 1 < e -> share_of R d a = 2%:R^-1 -> share_of R d b = 2%:R^-1 ->
  b \in rule d.
Proof.
move=> gt1 da db; apply: contraT => nb.
have [[_ most] An] := best d.
have := most [set a; b]; rewrite -card_gt0 cards2 ab => /(_ isT).
rewrite /response_value ler_pdivl_mulr ?denominator_gt0 //.
rewrite big_setU1 ?inE //= big_set1 da db cards2 ab /=.
have half : \sum_(i in rule d) share_of R d i <= 2%:R^-1.
  rewrite -(ler_add2r (share_of R d b)) {2}db.
  rewrite halves.
  rewrite -(share_of_sum R d P0) [leRHS](bigID (mem (rule d))) /= ler_add2l.
  rewrite (bigD1 b) //= ler_addl sumr_ge0 // => i _; exact: share_of_ge0.
have c1 : 1 <= #|rule d|%:R :> R by rewrite ler1n rule_card_gt0.
have e2 : e + 2%:R - 1 = e + 1 by mc_ring R.
rewrite halves mulr1 mulrAC e2 ler_pdivr_mulr ?(addr_gt0 e0 ltr01) //.
rewrite -mulrA ler_pmul2l // => le.
have : e <= 2%:R^-1 * (e + 1).
  apply: (@le_trans _ _ (e + #|rule d|%:R - 1)).
    by rewrite -addrA ler_addl subr_ge0.
  apply: le_trans le _.
  by rewrite ler_wpmul2r // ltW // addr_gt0 ?ltr01.
rewrite mulrDr mulr1 -[leLHS]mul1r -[X in X * _ <= _]halves mulrDl ler_add2l ger_pmulr ?invr_gt0 ?ltr0n //.
by rewrite leNgt gt1.
Qed.

(** With e = 1, a target with two thirds is the only one that is released. *)
Lemma rule_of_three c : e = 1 -> share_of R d c = 2%:R / 3%:R -> rule d = [set c].
Proof.
move=> eq1 dc; have two3 : 0 < 2%:R / 3%:R :> R by rewrite divr_gt0 ?ltr0n.
have := rule_single c; rewrite eq1 dc mul1r addrC addKr => le.
have c1 : (#|rule d| <= 1)%N.
  have := le_trans le (share_of_set_le1 R d (rule d) P0).
  rewrite mulrA ler_pdivr_mulr ?ltr0n // mul1r -natrM ler_nat.
  by case: #|rule d| => [|[|n]] //; rewrite mulnC !mulnS.
have [t et] : exists t, rule d = [set t].
  have [t td] := set0Pn _ (best d).2; exists t; apply/eqP.
  by rewrite eq_sym eqEcard sub1set td cards1.
rewrite et; congr [set _]; move: le; rewrite et cards1 big_set1 mul1r => le.
apply/eqP; apply: contraT => ne.
have : share_of R d c + share_of R d t <= 1.
  rewrite -(share_of_sum R d P0) (bigD1 c) //= ler_add2l (bigD1 t) //=.
  by rewrite ler_addl sumr_ge0 // => i _; exact: share_of_ge0.
rewrite dc => le'; have := le_trans _ le' => /(_ (2%:R / 3%:R + 2%:R / 3%:R)).
rewrite ler_add2l le => /(_ isT); rewrite -mulrDl -natrD ler_pdivr_mulr ?ltr0n //.
by rewrite mul1r ler_nat.
Qed.

End Rules.

(** Part 7, for every e > 1: two records. *)
Theorem no_epsilon_for_fitted (K : finType) (key : bool -> K) (e : R)
    (rule : {ffun bool -> T} -> {set T}) : 1 < e -> best_for_margin e rule ->
  forall e', ~ private (@one_target_changed _ _) e'
                 (of_tables key (fun d => responses (rule d) e d)).
Proof.
move=> gt1 best e'; have e1 := ltW gt1.
have P0 : (0 < #|{: bool}|)%N by rewrite card_bool.
pose both : {ffun bool -> T} := [ffun r => if r then a else b].
pose one : {ffun bool -> T} := [ffun=> a].
have shares (d : {ffun bool -> T}) i :
    share_of R d i = ((d true == i)%:R + (d false == i)%:R) / 2%:R.
  by rewrite /share_of big_bool card_bool.
have out : b \notin rule one.
  apply: (rule_of_one e1 P0 best); rewrite shares !ffunE eqxx.
  by rewrite -natrD divff // pnatr_eq0.
have inb : b \in rule both.
  apply: (rule_of_two e1 P0 best) => //; rewrite shares !ffunE eqxx.
    by rewrite eq_sym (negbTE ab) addr0 div1r.
  by rewrite (negbTE ab) add0r div1r.
apply: (@fitted_not_private _ _ _ _ _ _ _ one both b true) => //.
by exists false; case=> //; rewrite !ffunE.
Qed.

(** Part 7, for e = 1: three records. *)
Theorem no_epsilon_for_fitted_1 (K : finType) (key : 'I_3 -> K)
    (rule : {ffun 'I_3 -> T} -> {set T}) : best_for_margin (1 : R) rule ->
  forall e', ~ private (@one_target_changed _ _) e'
                 (of_tables key (fun d => responses (rule d) (1 : R) d)).
Proof.
move=> best e'.
have P0 : (0 < #|'I_3|)%N by rewrite card_ord.
pose d1 : {ffun 'I_3 -> T} := [ffun r : 'I_3 => if (r < 2)%N then a else b].
pose d2 : {ffun 'I_3 -> T} := [ffun r : 'I_3 => if (r < 1)%N then a else b].
have shares (d : {ffun 'I_3 -> T}) i : share_of R d i
    = ((d ord0 == i)%:R + (d (inord 1) == i)%:R + (d (inord 2) == i)%:R) / 3%:R.
  rewrite /share_of card_ord !big_ord_recl big_ord0 addr0 addrA.
  by congr ((_ + (d _ == i)%:R + (d _ == i)%:R) / _); apply: val_inj; rewrite /= inordK.
have r1 : rule d1 = [set a].
  apply: (rule_of_three (lexx _) P0 best) => //.
  by rewrite shares !ffunE !inordK //= eqxx eq_sym (negbTE ab) addr0 -natrD.
have r2 : rule d2 = [set b].
  apply: (rule_of_three (lexx _) P0 best) => //.
  by rewrite shares !ffunE !inordK //= eqxx (negbTE ab) add0r -natrD.
apply: (@fitted_not_private _ _ _ _ _ _ _ d2 d1 a ord0); rewrite ?r1 ?r2 ?inE //.
- exists (inord 1) => r; rewrite !ffunE => ne; congr (if _ then _ else _).
  case: r ne => -[|[|[|//]]] lt //= /eqP[]; apply: val_inj; by rewrite /= inordK.
Qed.

End Counterexample.
