(** * Averages over people inside, bounded by those over people outside

    Chapter: theory/guarantees.md, statement dp-average-bound.

    In words. O is a random choice of n of the n + h people, all choices equally
    likely, n, h >= 1; the release S(O) has noise of its own; u(y, S) from 0 to 1
    is any score of a person and the release. Put A for the expected mean score
    of the people inside, B for that of the people outside. If u is the share of
    the person's target in the key, the mean over the people inside is average CAP
    of their table.
    - If v <= F(v') for the expected scores under neighbours that differ by a
      substitution, and F is concave on [0, 1], then A <= F(B). Concave means
      two points and a chord; Jensen's inequality is proved from it.
    - So A <= f(B) for a claim about substitution, with f(x) the least of 1,
      e x + delta and 1 - (1 - delta - x) / e; and A <= f(f(B)) for one about
      records added or removed. Both are concave and do not fall.
    - The same holds with f(x) = 1 - T(x) for a claim with a trade-off function T:
      convex on [0, 1], not rising, with values in [0, 1].
    - For delta = 0, f(f(x)) is the least of three lines.
    - If each person is inside by the toss of a fair coin, A <= f(B) in one step
      for a claim about records added or removed. It is attained at every value
      of B, for every number of people.
    - A <= f(B) for substitution, and A <= f(f(B)) for records added or removed,
      are attained at every value of B with one person inside and one outside.
    - A - B is at most (e - 1) / (e + 1) = tanh(epsilon / 2) under substitution,
      and at most 1 - 1 / e where records are added or removed. *)

From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From capstats Require Import fields counts attainable privacy privacy_records.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Concave.

Variable R : realFieldType.
Implicit Types (F G : R -> R) (x y t : R).
Add Field R_field : (field_laws R).

Definition concave F := forall x y t, 0 <= x <= 1 -> 0 <= y <= 1 ->
  0 <= t <= 1 -> t * F x + (1 - t) * F y <= F (t * x + (1 - t) * y).

Definition rising F := forall x y, 0 <= x <= 1 -> 0 <= y <= 1 -> x <= y -> F x <= F y.

Definition into_unit F := forall x, 0 <= x <= 1 -> 0 <= F x <= 1.

Lemma mix_unit x y t : 0 <= x <= 1 -> 0 <= y <= 1 -> 0 <= t <= 1 ->
  0 <= t * x + (1 - t) * y <= 1.
Proof.
move=> /andP[x0 x1] /andP[y0 y1] /andP[t0 t1].
have t1' : 0 <= 1 - t by rewrite subr_ge0.
apply/andP; split; first by rewrite addr_ge0 // mulr_ge0.
rewrite [X in _ <= X](_ : 1 = t * 1 + (1 - t) * 1); last by mc_ring R.
by apply: ler_add; rewrite ler_wpmul2l.
Qed.

(** A concave function after a concave one is concave, if it does not fall. *)
Theorem concave_comp F G : concave F -> concave G -> rising F -> into_unit G ->
  concave (fun x => F (G x)).
Proof.
move=> cF cG rF uG x y t x01 y01 t01.
apply: le_trans (cF (G x) (G y) t (uG _ x01) (uG _ y01) t01) _.
apply: rF; [|exact/uG/mix_unit|exact: cG].
by apply: mix_unit => //; exact: uG.
Qed.

(** A trade-off function T is convex, does not rise, and stays within 0 and 1;
    f(x) = 1 - T(x) is concave, does not fall, and stays there too. *)
Definition convex F := forall x y t, 0 <= x <= 1 -> 0 <= y <= 1 ->
  0 <= t <= 1 -> F (t * x + (1 - t) * y) <= t * F x + (1 - t) * F y.

Definition falling F := forall x y, 0 <= x <= 1 -> 0 <= y <= 1 -> x <= y -> F y <= F x.

Lemma trade_off_concave T : convex T -> concave (fun x => 1 - T x).
Proof.
move=> cT x y t x01 y01 t01.
rewrite [X in X <= _](_ : _ = 1 - (t * T x + (1 - t) * T y)); last by mc_ring R.
by rewrite ler_add2l ler_opp2; exact: cT.
Qed.

Lemma trade_off_rising T : falling T -> rising (fun x => 1 - T x).
Proof. by move=> fT x y x01 y01 xy; rewrite ler_add2l ler_opp2; exact: fT. Qed.

Lemma trade_off_unit T : into_unit T -> into_unit (fun x => 1 - T x).
Proof. by move=> uT x /uT/andP[h0 h1]; rewrite subr_ge0 h1 ger_addl oppr_le0. Qed.

(** Jensen's inequality, from two points to any finite number. *)
Lemma jensen_seq F (I : Type) (s : seq I) (w x : I -> R) : concave F ->
  (forall i, 0 <= w i) -> (forall i, 0 <= x i <= 1) -> 0 < \sum_(i <- s) w i ->
  0 <= (\sum_(i <- s) w i * x i) / (\sum_(i <- s) w i) <= 1 /\
  \sum_(i <- s) w i * F (x i)
    <= (\sum_(i <- s) w i)
       * F ((\sum_(i <- s) w i * x i) / (\sum_(i <- s) w i)).
Proof.
move=> cF w0 x01; elim: s => [|i s IH]; first by rewrite big_nil ltxx.
rewrite !big_cons => pos.
set W := \sum_(j <- s) w j in IH pos *; set X := \sum_(j <- s) w j * x j in IH *.
set Y := \sum_(j <- s) w j * F (x j) in IH *.
have W0 : 0 <= W by apply: sumr_ge0.
have [z|Wn] := eqVneq W 0.
  have [X0 Y0] : X = 0 /\ Y = 0.
    move: z; rewrite /W /X /Y; elim: (s) => [|j s' IHs]; first by rewrite !big_nil.
    rewrite !big_cons => /eqP; rewrite paddr_eq0 ?sumr_ge0 // => /andP[/eqP -> /eqP /IHs[-> ->]].
    by rewrite !mul0r addr0.
  rewrite z X0 Y0 !addr0; move: pos; rewrite z addr0 => wi.
  by rewrite [w i * x i]mulrC mulfK ?gt_eqF // x01 lexx.
have Wp : 0 < W by rewrite lt_def Wn W0.
have [m01 le] := IH Wp; set m := X / W in m01 le.
have t01 : 0 <= w i / (w i + W) <= 1.
  by rewrite divr_ge0 ?(ltW pos) //= ler_pdivr_mulr // mul1r ler_addl.
have tc : 1 - w i / (w i + W) = W / (w i + W).
  by mc_field R; apply/eqP; rewrite gt_eqF.
have em : (w i * x i + X) / (w i + W)
    = w i / (w i + W) * x i + (1 - w i / (w i + W)) * m.
  by rewrite tc /m; mc_field R; split; apply/eqP; rewrite ?gt_eqF.
rewrite em; split; first exact: mix_unit.
have := cF (x i) m _ (x01 i) m01 t01.
rewrite -(ler_pmul2l pos) => h; apply: le_trans h.
rewrite [X in _ <= X](_ : _ = w i * F (x i) + W * F m) ?ler_add2l //.
by rewrite tc; mc_field R; apply/eqP; rewrite gt_eqF.
Qed.

Theorem jensen F (I : finType) (w x : I -> R) : concave F ->
  (forall i, 0 <= w i) -> \sum_i w i = 1 -> (forall i, 0 <= x i <= 1) ->
  \sum_i w i * F (x i) <= F (\sum_i w i * x i).
Proof.
move=> cF w0 w1 x01.
have [|_] := @jensen_seq F I (index_enum I) w x cF w0 x01.
  by rewrite w1 ltr01.
by rewrite !w1 divr1 mul1r.
Qed.

(** f of (epsilon, delta)-privacy. *)
Definition approx_step (e delta x : R) :=
  Order.min 1 (Order.min (e * x + delta) (1 - (1 - delta - x) / e)).

Lemma le_approx_step e delta z x : (z <= approx_step e delta x)
  = [&& z <= 1, z <= e * x + delta & z <= 1 - (1 - delta - x) / e].
Proof. by rewrite /approx_step !le_minr. Qed.

Lemma approx_step_lines e delta x :
  [/\ approx_step e delta x <= 1, approx_step e delta x <= e * x + delta
    & approx_step e delta x <= 1 - (1 - delta - x) / e].
Proof.
by have := lexx (approx_step e delta x); rewrite le_approx_step => /and3P[].
Qed.

(** The concavity of f, which the average needs. *)
Theorem approx_step_concave e delta : concave (approx_step e delta).
Proof.
move=> x y t _ _ /andP[t0 t1]; have t1' : 0 <= 1 - t by rewrite subr_ge0.
have [a1 a2 a3] := approx_step_lines e delta x.
have [b1 b2 b3] := approx_step_lines e delta y.
rewrite le_approx_step; apply/and3P; split.
- rewrite [X in _ <= X](_ : 1 = t * 1 + (1 - t) * 1); last by mc_ring R.
  by apply: ler_add; rewrite ler_wpmul2l.
- rewrite [X in _ <= X](_ : _ = t * (e * x + delta) + (1 - t) * (e * y + delta)).
    by apply: ler_add; rewrite ler_wpmul2l.
  by mc_ring R.
- rewrite [X in _ <= X](_ : _ = t * (1 - (1 - delta - x) / e)
      + (1 - t) * (1 - (1 - delta - y) / e)); last by mc_ring R.
  by apply: ler_add; rewrite ler_wpmul2l.
Qed.

Lemma approx_step_rising e delta : 0 < e -> rising (approx_step e delta).
Proof.
move=> e0 x y _ _ xy; rewrite le_approx_step.
have [a1 a2 a3] := approx_step_lines e delta x; rewrite a1 /=; apply/andP; split.
  by apply: le_trans a2 _; rewrite ler_add2r ler_pmul2l.
apply: le_trans a3 _; rewrite ler_add2l ler_opp2 ler_pmul2r ?invr_gt0 //.
by rewrite ler_add2l ler_opp2.
Qed.

Lemma approx_step_unit e delta : 1 <= e -> 0 <= delta -> into_unit (approx_step e delta).
Proof.
move=> e1 d0 x /andP[x0 x1]; have e0 := lt_le_trans ltr01 e1.
have [-> _ _] := approx_step_lines e delta x; rewrite andbT le_approx_step.
rewrite ler01 addr_ge0 ?mulr_ge0 ?(ltW e0) //= subr_ge0 ler_pdivr_mulr // mul1r.
by apply: le_trans e1; rewrite -addrA ger_addl -opprD oppr_le0 addr_ge0.
Qed.

(** With delta = 0 it is the f of one record. *)
Lemma approx_step_0 e x : 1 <= e -> x <= 1 -> approx_step e 0 x = step e x.
Proof.
move=> e1 x1; rewrite /approx_step addr0 subr0 -/(step e x).
by apply/min_idPr; exact: step_le1.
Qed.

(** Part 2: two steps are the least of three lines. *)
Theorem two_steps e x : 1 <= e -> 0 <= x <= 1 ->
  step e (step e x)
    = Order.min (e ^+ 2 * x)
        (Order.min (1 - e^-1 + x) (1 - (1 - x) / e ^+ 2)).
Proof.
move=> e1 x01; have e0 := lt_le_trans ltr01 e1.
have en : e <> 0 by apply/eqP; rewrite gt_eqF.
set s := step e x.
have s1 : s <= e * x := step_le_first e x.
have s2 : s <= 1 - (1 - x) / e := step_le_second e x.
have second y z : y <= z -> 1 - (1 - y) / e <= 1 - (1 - z) / e.
  by move=> yz; rewrite ler_add2l ler_opp2 ler_pmul2r ?invr_gt0 // ler_add2l ler_opp2.
have l1 : 1 - (1 - e * x) / e = 1 - e^-1 + x by mc_field R.
have l2 : 1 - (1 - (1 - (1 - x) / e)) / e = 1 - (1 - x) / e ^+ 2 by mc_field R.
apply/eqP; rewrite eq_le; apply/andP; split.
  rewrite !le_minr; apply/and3P; split.
  - apply: le_trans (step_le_first e s) _.
    by rewrite expr2 -mulrA ler_pmul2l.
  - by apply: le_trans (step_le_second e s) _; rewrite -l1; exact: second.
  - by apply: le_trans (step_le_second e s) _; rewrite -l2; exact: second.
set r := Order.min _ _.
have [r1 r2 r3] : [/\ r <= e ^+ 2 * x, r <= 1 - e^-1 + x & r <= 1 - (1 - x) / e ^+ 2].
  by have := lexx r; rewrite {2}/r !le_minr => /and3P[].
have [sx|sx] : s = e * x \/ s = 1 - (1 - x) / e.
- by rewrite /s /step; case: leP; [left | right].
- rewrite [step e s]/step le_minr sx l1 r2 andbT mulrA -expr2 //.
- rewrite [step e s]/step le_minr sx l2 r3 andbT; apply: le_trans r2 _.
  rewrite -subr_ge0 [X in 0 <= X](_ : _ = (e - 1) ^+ 2 / e); last by mc_field R.
  by rewrite divr_ge0 ?sqr_ge0 ?ltW.
Qed.

End Concave.

Section Neighbours.

Variables (R : realFieldType) (D : Type) (X : finType) (adj : D -> D -> Prop).
Variables (M : D -> X -> R) (e delta : R).
Hypothesis (mM : mechanism M) (e1 : 1 <= e).
Add Field R_field : (field_laws R).

(** (epsilon, delta)-privacy, in both orders. *)
Definition approx_private := forall d d', adj d d' -> forall E,
  prob M d E <= e * prob M d' E + delta /\ prob M d' E <= e * prob M d E + delta.

(** Privacy with a trade-off function T, in both orders: a test that rejects d'
    with probability u errs with probability x = mean M d' u under d', and so
    errs with at least T(x) under d. *)
Definition trade_off_private (T : R -> R) := forall d d', adj d d' ->
  forall u : X -> R, (forall x, 0 <= u x <= 1) ->
  mean M d u <= 1 - T (mean M d' u) /\ mean M d' u <= 1 - T (mean M d u).

Lemma excess_le (g : X -> R) (u : X -> R) : (forall x, 0 <= u x <= 1) ->
  \sum_x g x * u x <= \sum_(x in [set x | 0 < g x]) g x.
Proof.
move=> u01; rewrite [leRHS]big_mkcond /=; apply: ler_sum => x _; rewrite inE.
have /andP[u0 u1] := u01 x; case: ltP => gx; first by rewrite ler_pimulr // ltW.
by rewrite -oppr_ge0 -mulNr mulr_ge0 // oppr_ge0.
Qed.

Lemma approx_mean_one d d' (u : X -> R) : (forall x, 0 <= u x <= 1) ->
  (forall E, prob M d E <= e * prob M d' E + delta) ->
  mean M d u <= e * mean M d' u + delta.
Proof.
move=> u01 pE; rewrite -ler_subl_addl /mean mulr_sumr -sumrB.
rewrite (eq_bigr (fun x => (M d x - e * M d' x) * u x)) => [|x _]; last first.
  by rewrite mulrBl mulrA.
apply: le_trans (excess_le _ u01) _.
set E := [set x | _]; rewrite sumrB -mulr_sumr ler_subl_addl.
exact: pE.
Qed.

(** How far one step raises the mean of a score. *)
Theorem approx_mean d d' (u : X -> R) : approx_private -> adj d d' ->
  (forall x, 0 <= u x <= 1) ->
  mean M d u <= approx_step e delta (mean M d' u) /\
  mean M d' u <= approx_step e delta (mean M d u).
Proof.
move=> pM a u01; have e0 : 0 < e := lt_le_trans ltr01 e1.
have u1 x : u x <= 1 by case/andP: (u01 x).
have uc x : 0 <= 1 - u x <= 1.
  by have /andP[h0 h1] := u01 x; rewrite subr_ge0 h1 ger_addl oppr_le0.
have h d1 d2 : (forall E, prob M d1 E <= e * prob M d2 E + delta) ->
    (forall E, prob M d2 E <= e * prob M d1 E + delta) ->
    mean M d1 u <= approx_step e delta (mean M d2 u).
  move=> h12 h21; rewrite le_approx_step; apply/and3P; split.
  - exact: mean_le1.
  - exact: approx_mean_one.
  have := approx_mean_one uc h21; rewrite !mean_compl // => le.
  rewrite ler_subr_addl -ler_subr_addr ler_pdivr_mulr // mulrC.
  by rewrite addrAC ler_subl_addr.
by split; apply: h => E; have [] := pM d d' a E.
Qed.

Lemma private_approx : delta = 0 -> private adj e M -> approx_private.
Proof. by move=> dz pM d d' a E; rewrite dz !addr0; exact: pM. Qed.

End Neighbours.

Section RandomSubset.

Variables (R : realFieldType) (P : finType) (n : nat).
Hypotheses (n0 : (0 < n)%N) (nP : (n < #|P|)%N).
Implicit Types (O : {set P}) (y z : P).
Add Field R_field : (field_laws R).

Let h := (#|P| - n)%N.
Let C : R := #|[set O : {set P} | #|O| == n]|%:R.

(** The mean, over all choices O of n people, of the mean over the people inside
    or outside of a number g O y. *)
Definition average_inside (g : {set P} -> P -> R) :=
  (\sum_(O : {set P} | #|O| == n) (\sum_(y in O) g O y) / n%:R) / C.
Definition average_outside (g : {set P} -> P -> R) :=
  (\sum_(O : {set P} | #|O| == n) (\sum_(z | z \notin O) g O z) / h%:R) / C.

(** One person of O replaced by one from outside. *)
Definition replaced O y z := z |: (O :\ y).

Let C_gt0 : 0 < C.
Proof.
rewrite ltr0n card_gt0; apply/set0Pn.
have [s us sn] : exists2 s : seq P, uniq s & size s = n.
  by exists (take n (enum P)); rewrite ?take_uniq ?enum_uniq // size_takel // -cardE ltnW.
by exists [set x in s]; rewrite inE cardsE (card_uniqP us) sn.
Qed.

Let n_gt0 : 0 < n%:R :> R. Proof. by rewrite ltr0n. Qed.
Let h_gt0 : 0 < h%:R :> R. Proof. by rewrite ltr0n subn_gt0. Qed.

(** Triples of a choice, a person inside and one outside, equally likely. *)
Let triple := ({set P} * P * P)%type.
Let valid (t : triple) :=
  [&& #|t.1.1| == n, t.1.2 \in t.1.1 & t.2 \notin t.1.1].
Let w (t : triple) : R := if valid t then (C * n%:R * h%:R)^-1 else 0.

Let sum_triples (F : triple -> R) :
  \sum_t F t = \sum_O \sum_y \sum_z F (O, y, z).
Proof. by rewrite !pair_bigA /=; apply: eq_bigr => -[[O y] z]. Qed.

Let card_in O : #|O| == n -> \sum_(y in O) 1 = n%:R :> R.
Proof. by move/eqP <-; rewrite sumr_const. Qed.

Let card_out O : #|O| == n -> \sum_(z | z \notin O) 1 = h%:R :> R.
Proof.
move/eqP => e; rewrite sumr_const; congr (_%:R).
rewrite /h -e -(cardsC O) addKn; apply: eq_card => z.
by rewrite !inE.
Qed.

Let in_triples (g : {set P} -> P -> R) :
  \sum_t w t * g t.1.1 t.1.2 = average_inside g.
Proof.
rewrite sum_triples /average_inside mulr_suml [RHS]big_mkcond /=.
apply: eq_bigr => O _; case: (boolP (#|O| == n)) => cO; last first.
  apply: big1 => y _; apply: big1 => z _.
  by rewrite /w /valid /= (negbTE cO) mul0r.
rewrite !mulr_suml [RHS]big_mkcond /=; apply: eq_bigr => y _.
case: (boolP (y \in O)) => yO; last first.
  by apply: big1 => z _; rewrite /w /valid /= (negbTE yO) andbF mul0r.
transitivity (\sum_(z | z \notin O) (1 * ((C * n%:R * h%:R)^-1 * g O y))).
  rewrite [RHS]big_mkcond /=; apply: eq_bigr => z _.
  by rewrite /w /valid /= cO yO /= mul1r; case: (z \notin O); rewrite ?mul0r.
rewrite -mulr_suml card_out //.
by mc_field R; split; last split; apply/eqP; rewrite gt_eqF.
Qed.

Let out_triples (g : {set P} -> P -> R) :
  \sum_t w t * g t.1.1 t.2 = average_outside g.
Proof.
rewrite sum_triples /average_outside mulr_suml [RHS]big_mkcond /=.
apply: eq_bigr => O _; rewrite exchange_big /=.
case: (boolP (#|O| == n)) => cO; last first.
  apply: big1 => y _; apply: big1 => z _.
  by rewrite /w /valid /= (negbTE cO) mul0r.
rewrite !mulr_suml [RHS]big_mkcond /=; apply: eq_bigr => z _.
case: (boolP (z \in O)) => zO /=.
  by apply: big1 => y _; rewrite /w /valid /= zO !andbF mul0r.
transitivity (\sum_(y in O) (1 * ((C * n%:R * h%:R)^-1 * g O z))).
  rewrite [RHS]big_mkcond /=; apply: eq_bigr => y _.
  by rewrite /w /valid /= cO zO andbT mul1r; case: (y \in O); rewrite ?mul0r.
rewrite -mulr_suml card_in //.
by mc_field R; split; last split; apply/eqP; rewrite gt_eqF.
Qed.

Let w_ge0 t : 0 <= w t.
Proof.
rewrite /w; case: ifP => // _.
by rewrite invr_ge0 !mulr_ge0 // ltW.
Qed.

Let w_sum : \sum_t w t = 1.
Proof.
rewrite (eq_bigr (fun t => w t * 1)) => [|t _]; last by rewrite mulr1.
rewrite (in_triples (fun _ _ => 1)) /average_inside.
rewrite (eq_bigr (fun=> 1)) => [|O cO]; last by rewrite card_in // divff ?gt_eqF.
rewrite sumr_const /C; have -> : #|[pred O : {set P} | #|O| == n]| = #|[set O : {set P} | #|O| == n]|.
  by apply: eq_card => O; rewrite !inE.
by rewrite divff // gt_eqF.
Qed.

Lemma average_inside_const (g : {set P} -> P -> R) a :
  (forall O y, #|O| = n -> y \in O -> g O y = a) -> average_inside g = a.
Proof.
move=> ga; rewrite -in_triples -[RHS]mul1r -w_sum mulr_suml.
apply: eq_bigr => -[[O y] z] _ /=; rewrite /w.
case: ifP => [/and3P[/= /eqP cO yO _]|_]; last by rewrite !mul0r.
by rewrite ga.
Qed.

Lemma average_outside_const (g : {set P} -> P -> R) a :
  (forall O z, #|O| = n -> z \notin O -> g O z = a) -> average_outside g = a.
Proof.
move=> ga; rewrite -out_triples -[RHS]mul1r -w_sum mulr_suml.
apply: eq_bigr => -[[O y] z] _ /=; rewrite /w.
case: ifP => [/and3P[/= /eqP cO _ zO]|_]; last by rewrite !mul0r.
by rewrite ga.
Qed.

(** Exchange the two people. *)
Let swapped (t : triple) : triple := (tperm t.1.2 t.2 @^-1: t.1.1, t.2, t.1.2).

Let swappedK : involutive swapped.
Proof.
move=> [[O y] z]; rewrite /swapped /=; congr (_, _, _); apply/setP => x.
by rewrite !inE tpermC tpermK.
Qed.

Let w_swapped t : w (swapped t) = w t.
Proof.
case: t => -[O y] z; rewrite /w /valid /swapped /= !inE tpermR tpermL.
rewrite card_preimset; last exact: perm_inj.
by case: (#|O| == n); case: (y \in O); case: (z \in O).
Qed.

Let swapped_replaced O y z : y \in O -> z \notin O ->
  tperm y z @^-1: O = replaced O y z.
Proof.
move=> yO zO; apply/setP => x; rewrite !inE; case: tpermP => [->|->|/eqP ny /eqP nz].
- by rewrite (negbTE zO) eqxx /= orbF; apply/esym/negbTE; apply: contraNneq zO => <-.
- by rewrite yO eqxx.
- by rewrite (negbTE nz) ny.
Qed.

(** Part 1 in general. *)
Theorem average_bound (F : R -> R) (v : {set P} -> P -> R) : concave F ->
  (forall O y, 0 <= v O y <= 1) ->
  (forall O y z, #|O| = n -> y \in O -> z \notin O ->
    v O y <= F (v (replaced O y z) y)) ->
  average_inside v <= F (average_outside v).
Proof.
move=> cF v01 vF; pose v' (t : triple) := v (swapped t).1.1 (swapped t).2.
have -> : average_outside v = \sum_t w t * v' t.
  rewrite -out_triples (reindex_inj (inv_inj swappedK)) /=.
  by apply: eq_bigr => t _; rewrite w_swapped.
apply: le_trans (jensen cF w_ge0 w_sum (fun t => v01 _ _)).
rewrite -in_triples; apply: ler_sum => -[[O y] z] _ /=.
rewrite {2}/w {1}/w; case: (boolP (valid _)) => [/and3P[/= /eqP cO yO zO]|_]; last by rewrite !mul0r.
rewrite ler_wpmul2l ?invr_ge0 ?mulr_ge0 ?(ltW C_gt0) ?(ltW n_gt0) ?(ltW h_gt0) //.
by rewrite /v' /swapped /= swapped_replaced //; exact: vF.
Qed.

Section Release.

Variables (X : finType) (M : {set P} -> X -> R) (u : P -> X -> R) (e delta : R).
Hypotheses (mM : mechanism M) (e1 : 1 <= e) (d0 : 0 <= delta).
Hypothesis u01 : forall y x, 0 <= u y x <= 1.

(** The expected mean score of the people inside, and of those outside. *)
Definition expected_inside := average_inside (fun O y => mean M O (u y)).
Definition expected_outside := average_outside (fun O y => mean M O (u y)).

Lemma score_unit O y : 0 <= mean M O (u y) <= 1.
Proof.
rewrite mean_ge0 ?mean_le1 // => x; by have /andP[] := u01 y x.
Qed.

Definition substitution O O' := exists y z, [/\ y \in O, z \notin O & O' = replaced O y z].
Definition one_added O O' := exists2 z, z \notin O & O' = z |: O.

Theorem average_bound_substitution : approx_private substitution M e delta ->
  expected_inside <= approx_step e delta expected_outside.
Proof.
move=> pM; apply: average_bound; [exact: approx_step_concave | exact: score_unit |].
move=> O y z _ yO zO; have a : substitution O (replaced O y z) by exists y, z.
by have [] := approx_mean mM e1 pM a (u01 y).
Qed.

Theorem average_bound_add_remove : approx_private one_added M e delta ->
  expected_inside <= approx_step e delta (approx_step e delta expected_outside).
Proof.
move=> pM; have e0 : 0 < e := lt_le_trans ltr01 e1.
pose F x := approx_step e delta (approx_step e delta x).
apply: (@average_bound F); [|exact: score_unit|].
  apply: concave_comp; try exact: approx_step_concave.
    exact: approx_step_rising.
  exact: approx_step_unit.
move=> O y z _ yO zO; set O1 := O :\ y.
have a1 : one_added O1 O by exists y; rewrite ?inE ?eqxx // setD1K.
have a2 : one_added O1 (replaced O y z) by exists z; rewrite // !inE negb_and zO orbT.
have [_ h1] := approx_mean mM e1 pM a1 (u01 y).
have [h2 _] := approx_mean mM e1 pM a2 (u01 y).
apply: le_trans h1 _; apply: (approx_step_rising delta e0) h2; first exact: score_unit.
by apply: approx_step_unit => //; exact: score_unit.
Qed.

(** Part 1 for a trade-off function. *)
Variable T : R -> R.
Hypotheses (Tv : convex T) (Tf : falling T) (Tu : into_unit T).
Let F x := 1 - T x.

Theorem trade_off_bound_substitution : trade_off_private substitution M T ->
  expected_inside <= 1 - T expected_outside.
Proof.
move=> pM; apply: (@average_bound F); [exact: trade_off_concave | exact: score_unit |].
move=> O y z _ yO zO; have a : substitution O (replaced O y z) by exists y, z.
by have [] := pM _ _ a (u y) (u01 y).
Qed.

Theorem trade_off_bound_add_remove : trade_off_private one_added M T ->
  expected_inside <= 1 - T (1 - T expected_outside).
Proof.
have cF := trade_off_concave Tv; have rF := trade_off_rising Tf.
have uF := trade_off_unit Tu.
move=> pM; apply: (@average_bound (fun x => F (F x))); [|exact: score_unit|].
  exact: concave_comp.
move=> O y z _ yO zO; set O1 := O :\ y.
have a1 : one_added O1 O by exists y; rewrite ?inE ?eqxx // setD1K.
have a2 : one_added O1 (replaced O y z) by exists z; rewrite // !inE negb_and zO orbT.
have [_ h1] := pM _ _ a1 (u y) (u01 y); have [h2 _] := pM _ _ a2 (u y) (u01 y).
by apply: le_trans h1 _; apply: rF h2; [|apply: uF]; exact: score_unit.
Qed.

End Release.

End RandomSubset.

(** Part 5; (e - 1) / (e + 1) is tanh(epsilon / 2). *)
Section Contrast.

Variable R : realFieldType.
Add Field R_field : (field_laws R).

Theorem contrast_substitution (P : finType) (n : nat) (X : finType)
    (M : {set P} -> X -> R) (u : P -> X -> R) (e : R) :
  (0 < n)%N -> (n < #|P|)%N -> mechanism M -> 1 <= e -> (forall y x, 0 <= u y x <= 1) ->
  private (@substitution P) e M ->
  expected_inside n M u - expected_outside n M u <= (e - 1) / (e + 1).
Proof.
move=> n0 nP mM e1 u01 pM.
have := average_bound_substitution n0 nP mM e1 u01 (private_approx (erefl 0) pM).
move=> le.
have e0 : 0 < e := lt_le_trans ltr01 e1.
have d0 : 0 < e + 1 by exact: addr_gt0 e0 ltr01.
set y := expected_inside n M u in le *; set x := expected_outside n M u in le *.
have [_ l2 l3] := approx_step_lines e 0 x.
have h1 := le_trans le l2; have h2 := le_trans le l3.
rewrite addr0 in h1; rewrite subr0 -(ler_pmul2l e0) in h2.
rewrite ler_pdivl_mulr // (_ : (y - x) * (e + 1) = y + e * y - x * (e + 1)); last by mc_ring R.
rewrite ler_subl_addr [leRHS](_ : _ = e * x + e * (1 - (1 - x) / e)); first exact: ler_add.
by mc_field R; apply/eqP; rewrite gt_eqF.
Qed.

Theorem contrast_add_remove (P : finType) (n : nat) (X : finType)
    (M : {set P} -> X -> R) (u : P -> X -> R) (e : R) :
  (0 < n)%N -> (n < #|P|)%N -> mechanism M -> 1 <= e -> (forall y x, 0 <= u y x <= 1) ->
  private (@one_added P) e M ->
  expected_inside n M u - expected_outside n M u <= 1 - e^-1.
Proof.
move=> n0 nP mM e1 u01 pM.
have := average_bound_add_remove n0 nP mM e1 (lexx 0) u01 (private_approx (erefl 0) pM).
move=> le.
have e0 : 0 < e := lt_le_trans ltr01 e1.
set y := expected_inside n M u in le *; set x := expected_outside n M u in le *.
have [_ l2 _] := approx_step_lines e 0 x.
have [_ _ l3] := approx_step_lines e 0 (approx_step e 0 x).
rewrite addr0 in l2; rewrite subr0 in l3.
rewrite ler_subl_addr; apply: le_trans (le_trans le l3) _.
rewrite [leRHS](_ : _ = 1 - (1 - e * x) / e); last by mc_field R; apply/eqP; rewrite gt_eqF.
by rewrite ler_add2l ler_opp2 ler_pmul2r ?invr_gt0 // ler_add2l ler_opp2.
Qed.

End Contrast.

Section Coins.

Variables (R : realFieldType) (P : finType).
Hypothesis (P0 : (0 < #|P|)%N).
Implicit Types (O : {set P}) (i : P).
Add Field R_field : (field_laws R).

Let N : R := #|P|%:R.
Let S : R := #|{: {set P}}|%:R.

(** Means over all sets of people inside, each with an own fair coin. *)
Definition coins_inside (g : {set P} -> P -> R) :=
  (\sum_(O : {set P}) 2%:R / N * (\sum_(i in O) g O i)) / S.
Definition coins_outside (g : {set P} -> P -> R) :=
  (\sum_(O : {set P}) 2%:R / N * (\sum_(i | i \notin O) g O i)) / S.

Let N_gt0 : 0 < N. Proof. by rewrite ltr0n. Qed.
Let S_gt0 : 0 < S.
Proof. by rewrite ltr0n; apply/card_gt0P; exists set0. Qed.

Let pairs := ({set P} * P)%type.
Let w (t : pairs) : R := if t.2 \in t.1 then 2%:R / N / S else 0.
Let toss (t : pairs) : pairs :=
  (if t.2 \in t.1 then t.1 :\ t.2 else t.2 |: t.1, t.2).

Let tossK : involutive toss.
Proof.
move=> [O i]; rewrite /toss /=; congr (_, _).
case: (boolP (i \in O)) => iO.
  by rewrite !inE eqxx /= setD1K.
by rewrite !inE eqxx /= setU1K.
Qed.

Let toss_in t : ((toss t).2 \in (toss t).1) = (t.2 \notin t.1).
Proof. by case: t => O i; rewrite /toss /=; case: ifP; rewrite !inE eqxx. Qed.

Let sum_pairs (F : pairs -> R) : \sum_t F t = \sum_O \sum_i F (O, i).
Proof. by rewrite pair_bigA /=; apply: eq_bigr => -[O i]. Qed.

Let in_pairs (g : {set P} -> P -> R) : \sum_t w t * g t.1 t.2 = coins_inside g.
Proof.
rewrite sum_pairs /coins_inside mulr_suml; apply: eq_bigr => O _.
rewrite mulr_sumr mulr_suml [RHS]big_mkcond /=; apply: eq_bigr => i _.
by rewrite /w /=; case: ifP => _; rewrite ?mul0r //; mc_ring R.
Qed.

Let out_pairs (g : {set P} -> P -> R) :
  \sum_t w t * g (toss t).1 t.2 = coins_outside g.
Proof.
rewrite (reindex_inj (inv_inj tossK)).
transitivity (\sum_(t : pairs) if t.2 \notin t.1 then 2%:R / N / S * g t.1 t.2 else 0).
  apply: eq_bigr => t _; rewrite tossK /w toss_in; case: ifP => _; last by rewrite mul0r.
  by case: t.
rewrite sum_pairs /coins_outside mulr_suml.
apply: eq_bigr => O _; rewrite mulr_sumr mulr_suml [RHS]big_mkcond.
by apply: eq_bigr => i _ /=; case: ifP => _ //; mc_ring R.
Qed.

Let w_ge0 t : 0 <= w t.
Proof. by rewrite /w; case: ifP => // _; rewrite !divr_ge0 ?ler0n // ltW. Qed.

Let w_sum : \sum_t w t = 1.
Proof.
pose a : R := \sum_(t : pairs) (t.2 \in t.1)%:R.
have twice : a + a = N * S.
  rewrite {2}/a (reindex_inj (inv_inj tossK)) -big_split /=.
  rewrite (eq_bigr (fun=> 1)) => [|t _].
    by rewrite sumr_const card_prod natrM mulrC.
  by rewrite toss_in; case: (t.2 \in t.1); rewrite ?addr0 ?add0r.
have -> : \sum_t w t = a * (2%:R / N / S).
  rewrite /a mulr_suml; apply: eq_bigr => t _; rewrite /w.
  by case: ifP => _; rewrite ?mul1r ?mul0r.
rewrite (_ : a * _ = (a + a) / N / S); last by mc_ring R.
by rewrite twice; mc_field R; split; apply/eqP; rewrite gt_eqF.
Qed.

Section Release.

Variables (X : finType) (M : {set P} -> X -> R) (u : P -> X -> R) (e delta : R).
Hypotheses (mM : mechanism M) (e1 : 1 <= e) (d0 : 0 <= delta).
Hypothesis u01 : forall i x, 0 <= u i x <= 1.

Definition expected_coins_inside := coins_inside (fun O i => mean M O (u i)).
Definition expected_coins_outside := coins_outside (fun O i => mean M O (u i)).

(** Part 3: one step is enough with coins. *)
Theorem coins_bound : approx_private (@one_added P) M e delta ->
  expected_coins_inside <= approx_step e delta expected_coins_outside.
Proof.
move=> pM; rewrite /expected_coins_outside -out_pairs /expected_coins_inside -in_pairs.
apply: le_trans (jensen (approx_step_concave e delta) w_ge0 w_sum _); last first.
  by move=> t; exact: score_unit.
apply: ler_sum => -[O i] _; rewrite /w /toss /=; case: (boolP (i \in O)) => iO; last by rewrite !mul0r.
rewrite ler_wpmul2l ?divr_ge0 ?ler0n ?(ltW N_gt0) ?(ltW S_gt0) //.
have a : one_added (O :\ i) O by exists i; rewrite ?inE ?eqxx // setD1K.
by have [_] := approx_mean mM e1 pM a (u01 i).
Qed.

Theorem trade_off_bound_coins (T : R -> R) : convex T -> trade_off_private (@one_added P) M T ->
  expected_coins_inside <= 1 - T expected_coins_outside.
Proof.
move=> Tv pM; rewrite /expected_coins_outside -out_pairs /expected_coins_inside -in_pairs.
apply: le_trans (jensen (trade_off_concave Tv) w_ge0 w_sum _); last first.
  by move=> t; exact: score_unit.
apply: ler_sum => -[O i] _; rewrite /w /toss /=; case: (boolP (i \in O)) => iO; last by rewrite !mul0r.
rewrite ler_wpmul2l ?divr_ge0 ?ler0n ?(ltW N_gt0) ?(ltW S_gt0) //.
have a : one_added (O :\ i) O by exists i; rewrite ?inE ?eqxx // setD1K.
by have [_] := pM _ _ a (u i) (u01 i).
Qed.

End Release.

Section Attained.

Variables (e x : R).
Hypotheses (e1 : 1 <= e) (x01 : 0 <= x <= 1).

Let e0 : 0 < e := lt_le_trans ltr01 e1.

(** Each person's record is released, by itself, with probability f(x) if the
    person is inside and x if outside. *)
Definition chance O i := if i \in O then step e x else x.
Definition bit (c : R) (b : bool) := if b then c else 1 - c.
Definition own_release O (r : {ffun P -> bool}) : R := \prod_i bit (chance O i) (r i).
Definition is_released i (r : {ffun P -> bool}) : R := (r i)%:R.

Lemma chance_unit O i : 0 <= chance O i <= 1.
Proof.
rewrite /chance; case: ifP => _ //.
by rewrite step_ge0 // step_le1 //; case/andP: x01.
Qed.

Lemma bit_ge0 O i b : 0 <= bit (chance O i) b.
Proof. by have /andP[h0 h1] := chance_unit O i; case: b => //=; rewrite subr_ge0. Qed.

Lemma bit_sum c : \sum_b bit c b = 1.
Proof. by rewrite big_bool /= addrC subrK. Qed.

Lemma own_release_mechanism : mechanism own_release.
Proof.
split=> [O r|O]; first by apply: prodr_ge0 => i _; exact: bit_ge0.
rewrite /own_release -(bigA_distr_bigA (fun i b => bit (chance O i) b)) /=.
by apply: big1 => i _; exact: bit_sum.
Qed.

Lemma own_release_mean O i : mean own_release O (is_released i) = chance O i.
Proof.
pose F i' b := bit (chance O i') b * (if i' == i then b%:R else 1).
transitivity (\prod_i' \sum_b F i' b).
  rewrite bigA_distr_bigA /mean; apply: eq_bigr => r _.
  rewrite /F big_split /= /own_release; congr (_ * _).
  by rewrite (bigD1 i) //= eqxx big1 ?mulr1 // => i' /negbTE ->.
rewrite (bigD1 i) //= [X in _ * X]big1 => [|i' /negbTE ne].
  by rewrite big_bool /F eqxx /= mulr1 mulr0 addr0 mulr1.
by rewrite /F ne (eq_bigr (bit (chance O i'))) ?bit_sum // => b _; rewrite mulr1.
Qed.

Lemma own_release_private : private (@one_added P) e own_release.
Proof.
apply/private_points => O _ [z zO ->] r.
pose rest := \prod_(i | i != z) bit (chance O i) (r i).
have rest0 : 0 <= rest by apply: prodr_ge0 => i _; exact: bit_ge0.
have -> : own_release O r = bit (chance O z) (r z) * rest by rewrite /own_release (bigD1 z).
have -> : own_release (z |: O) r = bit (chance (z |: O) z) (r z) * rest.
  rewrite /own_release (bigD1 z) //=; congr (_ * _); apply: eq_bigr => i ne.
  by rewrite /chance !inE (negbTE ne).
rewrite /chance (negbTE zO) !inE eqxx /=.
have /andP[x0 x1] := x01; have s0 := step_ge0 e1 x01.
have s1 : step e x <= 1 by exact: step_le1.
split; rewrite mulrA ler_wpmul2r //; case: (r z) => /=.
- by apply: le_trans (step_ge e1 x01) _; rewrite ler_pemull.
- have := step_le_second e x.
  by rewrite ler_subr_addl -ler_subr_addr ler_pdivr_mulr // mulrC.
- exact: step_le_first.
- apply: (@le_trans _ _ (1 - x)); first by rewrite ler_add2l ler_opp2 step_ge.
  by rewrite ler_pemull // subr_ge0.
Qed.

(** Part 4 for coins: attained at every x, for every number of people. *)
Theorem coins_attained :
  [/\ mechanism own_release, private (@one_added P) e own_release,
      expected_coins_inside own_release is_released = step e x
    & expected_coins_outside own_release is_released = x].
Proof.
split; [exact: own_release_mechanism | exact: own_release_private | |].
  rewrite /expected_coins_inside -in_pairs -[RHS]mul1r -w_sum mulr_suml.
  apply: eq_bigr => -[O i] _ /=; rewrite own_release_mean /w /chance /=.
  by case: ifP => _; rewrite ?mul0r.
rewrite /expected_coins_outside -out_pairs -[RHS]mul1r -w_sum mulr_suml.
apply: eq_bigr => -[O i] _ /=; rewrite own_release_mean /w /chance /toss /=.
by case: ifP => _; rewrite ?mul0r // !inE eqxx.
Qed.

End Attained.

End Coins.

Section AttainedBySubstitution.

Variables (R : realFieldType) (e x : R).
Hypotheses (e1 : 1 <= e) (x01 : 0 <= x <= 1).
Add Field R_field : (field_laws R).

Let e0 : 0 < e := lt_le_trans ltr01 e1.

(** Two people, true and false; the release tells whose records are in it. *)
Let people := [finType of bool].
Let alpha := Order.min x ((1 - x) / e).
Let rest := 1 - (1 + e) * alpha.
Let many := (1 - x) / e < x.

Definition two_people_release (O : {set people}) (r : bool * bool) : R :=
  if (true \in O) (+) (false \in O) then
    match (if true \in O then r else (r.2, r.1)) with
    | (true, false) => e * alpha
    | (false, true) => alpha
    | (true, true) => if many then rest else 0
    | (false, false) => if many then 0 else rest
    end
  else (r == (true, true))%:R.

Definition released_of (y : people) (r : bool * bool) : R :=
  (if y then r.1 else r.2)%:R.

Let alpha_ge0 : 0 <= alpha.
Proof.
have /andP[x0 x1] := x01.
by rewrite le_minr x0 divr_ge0 ?subr_ge0 // ltW.
Qed.

Let rest_ge0 : 0 <= rest.
Proof.
have h1 : alpha <= x by rewrite le_minl lexx.
have h2 : e * alpha <= 1 - x.
  by rewrite mulrC -ler_pdivl_mulr // le_minl lexx orbT.
rewrite subr_ge0 mulrDl mul1r -[leRHS](subrK x) addrC.
by apply: ler_add.
Qed.

Let sum_pairs (F : bool * bool -> R) :
  \sum_r F r = F (true, true) + F (true, false) + (F (false, true) + F (false, false)).
Proof.
rewrite (eq_bigr (fun r => F (r.1, r.2))) => [|[] //].
by rewrite -(pair_bigA _ (fun a b => F (a, b))) /= !big_bool.
Qed.

Let all_sum : (if many then rest else 0) + e * alpha + (alpha + (if many then 0 else rest)) = 1.
Proof. by rewrite /rest; case: many; mc_ring R. Qed.

Lemma two_people_mechanism : mechanism two_people_release.
Proof.
have ea : 0 <= e * alpha by rewrite mulr_ge0 // ltW.
split=> [O [a b]|O].
  rewrite /two_people_release; case: (true \in O); case: (false \in O) => /=;
    rewrite ?ler0n //; case: a; case: b => //=; by case: many.
rewrite sum_pairs /two_people_release; case: (true \in O); case: (false \in O) => /=.
- by rewrite !addr0.
- exact: all_sum.
- by rewrite -[RHS]all_sum -!addrA; congr (_ + _); rewrite addrCA.
- by rewrite !addr0.
Qed.

Lemma one_of_two (O : {set people}) : #|O| = 1%N -> exists y, O = [set y].
Proof. by move=> c; apply/cards1P; rewrite c. Qed.

(** The laws of the two data sets with one person inside. *)
Lemma one_inside (y : people) r : two_people_release [set y] r
  = match (if y then r else (r.2, r.1)) with
    | (true, false) => e * alpha
    | (false, true) => alpha
    | (true, true) => if many then rest else 0
    | (false, false) => if many then 0 else rest
    end.
Proof. by rewrite /two_people_release !inE; case: y. Qed.

Lemma replaced_of_two (O : {set people}) y z : y \in O -> z \notin O ->
  O = [set y] /\ replaced O y z = [set ~~ y].
Proof.
move=> yO zO; have ezy : z = ~~ y by case: y z yO zO => -[] // -> .
have eO : O = [set y].
  apply/setP => t; rewrite inE; have [->|ne] := eqVneq t y; first by rewrite yO.
  have -> : t = z by rewrite ezy; case: t y ne {yO zO ezy} => -[].
  exact: negbTE.
split=> //; rewrite eO /replaced ezy; apply/setP => t; rewrite !inE.
by case: t; case: (y).
Qed.

Let values : e * alpha + (if many then rest else 0) = step e x
  /\ alpha + (if many then rest else 0) = x.
Proof.
have /andP[x0 x1] := x01; have en : e <> 0 by apply/eqP; rewrite gt_eqF.
rewrite /rest /alpha /many /step.
have key : x <= (1 - x) / e -> e * x <= 1 - (1 - x) / e.
  move=> le; rewrite -subr_ge0 [X in 0 <= X](_ : _ = (e - 1) * ((1 - x) / e - x)); last by mc_field R.
  by rewrite mulr_ge0 ?subr_ge0.
have key' : (1 - x) / e <= x -> 1 - (1 - x) / e <= e * x.
  move=> le; rewrite -subr_ge0 [X in 0 <= X](_ : _ = (e - 1) * (x - (1 - x) / e)); last by mc_field R.
  by rewrite mulr_ge0 ?subr_ge0.
case: (leP x ((1 - x) / e)) => le.
  by rewrite !addr0; split=> //; apply/esym/min_idPl; exact: key.
split; last by mc_field R.
by rewrite (min_idPr (key' (ltW le))); mc_field R.
Qed.

(** Part 4 for substitution: attained at every x, with n = h = 1. *)
Theorem substitution_attained :
  [/\ mechanism two_people_release,
      private (@substitution people) e two_people_release,
      expected_inside 1 two_people_release released_of = step e x
    & expected_outside 1 two_people_release released_of = x].
Proof.
have [vin vout] := values.
have ea : 0 <= e * alpha by rewrite mulr_ge0 // ltW.
have two : (1 < #|people|)%N by rewrite card_bool.
split; first exact: two_people_mechanism.
- apply/private_points => O O' [y [z [yO zO ->]]] r.
  have [-> ->] := replaced_of_two yO zO; rewrite !one_inside.
  have same c : 0 <= c -> c <= e * c by move=> c0; rewrite ler_pemull.
  have up : e * alpha <= e * alpha by [].
  have down : alpha <= e * (e * alpha) by apply: le_trans (same _ alpha_ge0) (same _ ea).
  by case: y {yO}; case: r => -[] -[] /=; case: many; split; rewrite ?same ?mulr0.
- apply: average_inside_const => // O y cO yO.
  have [t eO] := one_of_two cO; move: yO; rewrite eO inE => /eqP ->.
  rewrite /mean sum_pairs !one_inside /released_of -vin.
  by case: t {eO}; rewrite /= ?mulr1 ?mulr0 ?addr0 ?add0r // addrC.
- apply: average_outside_const => // O z cO zO.
  have [t eO] := one_of_two cO; move: zO; rewrite eO inE => zt.
  have -> : z = ~~ t by case: z t zt {eO} => -[].
  rewrite /mean sum_pairs !one_inside /released_of -vout.
  by case: t {eO zt}; rewrite /= ?mulr1 ?mulr0 ?addr0 ?add0r // addrC.
Qed.

End AttainedBySubstitution.

Section AttainedByTwoSteps.

Variables (R : realFieldType) (e x : R).
Hypotheses (e1 : 1 <= e) (x01 : 0 <= x <= 1).
Add Field R_field : (field_laws R).

Let e0 : 0 < e := lt_le_trans ltr01 e1.

(** Where records are added or removed: the people, and what is released, are
    as before. A person is released with chance x from outside, F from inside,
    and s where none or both are inside. If 2 s <= 1, never both are released;
    if 2 s > 1, at least one is, and 1 - F, 1 - s and 1 - x are the chances of
    not being released. *)
Let people := [finType of bool].
Let s := step e x.
Let F := step e s.
Let many := 1 < s + s.
Let a := if many then 1 - F else x.
Let m := if many then 1 - s else s.
Let b := if many then 1 - x else F.

(** Chance c of the first person alone, c' of the second alone. *)
Definition alone_law (c c' : R) (r : bool * bool) : R :=
  match r with
  | (true, false) => c
  | (false, true) => c'
  | (true, true) => if many then 1 - c - c' else 0
  | (false, false) => if many then 0 else 1 - c - c'
  end.

Definition two_steps_release (O : {set people}) (r : bool * bool) : R :=
  if (true \in O) (+) (false \in O) then
    alone_law b a (if true \in O then r else (r.2, r.1))
  else alone_law m m r.

(** Cases (i) and (ii) of the paper, with (iii) by the exchange of x and 1 - F. *)
Let chances : [/\ 0 <= a, m = e * a, m + m <= 1
  & b = e * m /\ b <= 1 - (1 - m) / e \/ b = 1 - (1 - m) / e /\ b <= e * m].
Proof.
have /andP[x0 x1] := x01; have en : e <> 0 by apply/eqP; rewrite gt_eqF.
have s01 : 0 <= s <= 1 by rewrite step_ge0 // step_le1.
have /andP[s0 s1] := s01.
have s_ex : s <= e * x := step_le_first e x.
have s_2 : s <= 1 - (1 - x) / e := step_le_second e x.
have flip y z : y <= 1 - (1 - z) / e -> 1 - z <= e * (1 - y).
  by rewrite ler_subr_addl -ler_subr_addr ler_pdivr_mulr // mulrC.
rewrite /a /m /b /many; case: ltP => big; split.
- by rewrite subr_ge0 step_le1.
- rewrite [F]step_flat //; first by mc_field R.
  by apply: le_trans (ltW big) _; rewrite mulrDl mul1r ler_add2l ler_pemull.
- rewrite -subr_ge0 [X in 0 <= X](_ : _ = s + s - 1); last by mc_ring R.
  by rewrite subr_ge0 ltW.
- have [sx|sx] : s = e * x \/ s = 1 - (1 - x) / e.
  + by rewrite /s /step; case: leP; [left | right].
  + right; split; last exact: flip.
    by rewrite opprB addrCA subrr addr0 sx; mc_field R.
  + left; split; first by rewrite sx; mc_field R.
    by rewrite opprB addrCA subrr addr0 ler_add2l ler_opp2 ler_pdivr_mulr // mulrC.
- by [].
- have [le|lt] := leP ((1 + e) * x) 1; first exact: step_steep.
  exfalso; move: big; rewrite /s step_flat ?(ltW lt) // => big.
  have e2 : e <= (1 - x) + (1 - x).
    rewrite -[leLHS]mul1r -ler_pdivl_mulr // mulrDl -subr_ge0.
    rewrite [X in 0 <= X](_ : _ = 1 - (1 - (1 - x) / e + (1 - (1 - x) / e))) ?subr_ge0 //.
    by mc_ring R.
  move: lt; rewrite ltNge => /negP; apply; rewrite -subr_ge0 -(pmulr_rge0 _ (ltr0n R 2)).
  rewrite [X in 0 <= X](_ : _ = (1 + e) * ((1 - x) + (1 - x) - e) + e * (e - 1)).
    apply: addr_ge0; apply: mulr_ge0; rewrite ?subr_ge0 ?(ltW e0) //.
    exact: addr_ge0 ler01 (ltW e0).
  by mc_ring R.
- by [].
- have [le|lt] := leP (e * s) (1 - (1 - s) / e).
    by left; split; [exact/min_idPl | exact: step_le_second].
  by right; split; [exact/min_idPr/ltW | exact: step_le_first].
Qed.

Let chances_ge0 : [/\ 0 <= a, 0 <= b, 0 <= m, 0 <= 1 - b - a & 0 <= 1 - m - m].
Proof.
have [a0 ma mm one] := chances; have m0 : 0 <= m by rewrite ma mulr_ge0 // ltW.
have b_2 : b <= 1 - (1 - m) / e by case: one => -[-> //] _; exact: lexx.
have b0 : 0 <= b.
  have /andP[x0 x1] := x01; rewrite /b; case: ifP => _; first by rewrite subr_ge0.
  by rewrite step_ge0 // step_ge0 // step_le1.
split=> //; last by rewrite -addrA -opprD subr_ge0.
have -> : 1 - b - a = (1 - (1 - m) / e - b) + (1 - m - m) / e.
  by rewrite ma; mc_field R; apply/eqP; rewrite gt_eqF.
by rewrite addr_ge0 ?divr_ge0 ?(ltW e0) // subr_ge0 // ler_subr_addr.
Qed.

Let sum_pairs (G : bool * bool -> R) :
  \sum_r G r = G (true, true) + G (true, false) + (G (false, true) + G (false, false)).
Proof.
rewrite (eq_bigr (fun r => G (r.1, r.2))) => [|[] //].
by rewrite -(pair_bigA _ (fun c c' => G (c, c'))) /= !big_bool.
Qed.

Let alone_sum c c' : \sum_r alone_law c c' r = 1.
Proof. by rewrite sum_pairs /alone_law; case: many; mc_ring R. Qed.

Lemma two_steps_mechanism : mechanism two_steps_release.
Proof.
have [a0 b0 m0 r0 r0'] := chances_ge0.
have pos c c' r : 0 <= c -> 0 <= c' -> 0 <= 1 - c - c' -> 0 <= alone_law c c' r.
  by case: r => -[] -[] /=; case: many.
split=> [O r|O]; rewrite /two_steps_release; case: (_ (+) _).
- exact: pos.
- exact: pos.
- case: (true \in O); first exact: alone_sum.
  by rewrite -[RHS](alone_sum b a) !sum_pairs -!addrA; congr (_ + _); rewrite addrCA.
- exact: alone_sum.
Qed.

(** One law is within the factor e of the other, cell by cell. *)
Let cells r : alone_law m m r <= e * alone_law b a r
  /\ alone_law b a r <= e * alone_law m m r.
Proof.
have [a0 ma mm one] := chances; have [_ b0 m0 r0 r0'] := chances_ge0.
have up c : 0 <= c -> c <= e * c by move=> c0; rewrite ler_pemull.
have en : e <> 0 by apply/eqP; rewrite gt_eqF.
have m_le1 : m <= 1 by apply: le_trans mm; rewrite ler_addl.
have m_b : m <= b.
  case: one => -[-> _]; first exact: up.
  rewrite -subr_ge0 [X in 0 <= X](_ : _ = (e - 1) / e * (1 - m)); last by mc_field R.
  by rewrite mulr_ge0 ?divr_ge0 ?subr_ge0 // ltW.
have b_em : b <= e * m by case: one => -[-> //] _; exact: lexx.
have b_2 : b <= 1 - (1 - m) / e by case: one => -[-> //] _; exact: lexx.
have rest1 : 1 - m - m <= e * (1 - b - a).
  rewrite -subr_ge0 [X in 0 <= X](_ : _ = e * (1 - (1 - m) / e - b)).
    by rewrite mulr_ge0 ?subr_ge0 // ltW.
  by rewrite ma; mc_field R.
have rest2 : 1 - b - a <= e * (1 - m - m).
  apply: (@le_trans _ _ (1 - m - m)); last exact: up.
  case: one => -[eb _]; rewrite -subr_ge0.
    rewrite [X in 0 <= X](_ : _ = (e - 1) ^+ 2 * a); first by rewrite mulr_ge0 ?sqr_ge0.
    by rewrite eb ma; mc_ring R.
  rewrite [X in 0 <= X](_ : _ = (e - 1) / e * (1 - m - m)).
    by rewrite mulr_ge0 // divr_ge0 ?subr_ge0 // ltW.
  by rewrite eb ma; mc_field R.
have m_eb : m <= e * b by apply: le_trans m_b _; exact: up.
have m_ea : m <= e * a by rewrite ma.
have a_em : a <= e * m by apply: le_trans (up _ a0) _; rewrite -ma; exact: up.
by case: r => -[] -[]; rewrite /alone_law; case: many; rewrite ?mulr0 ?lexx.
Qed.

Let values : b + (if many then 1 - b - a else 0) = F
  /\ a + (if many then 1 - b - a else 0) = x.
Proof. by rewrite /a /b; case: many; rewrite ?addr0 //; split; mc_ring R. Qed.

(** Part 4 where records are added or removed: attained at every x, with
    n = h = 1, by a program that is private for all sets of people inside. *)
Theorem two_steps_attained :
  [/\ mechanism two_steps_release,
      private (@one_added people) e two_steps_release,
      expected_inside 1 two_steps_release (@released_of R) = step e (step e x)
    & expected_outside 1 two_steps_release (@released_of R) = x].
Proof.
have [vin vout] := values.
have two : (1 < #|people|)%N by rewrite card_bool.
have law (y : people) r : two_steps_release [set y] r
    = alone_law b a (if y then r else (r.2, r.1)).
  by rewrite /two_steps_release !inE; case: y.
split; first exact: two_steps_mechanism.
- apply/private_points => O _ [z zO ->] r.
  have sw r' : alone_law m m (r'.2, r'.1) = alone_law m m r' by case: r' => -[] -[].
  have [h1 h2] := cells r; have [h3 h4] := cells (r.2, r.1); rewrite sw in h3 h4.
  rewrite /two_steps_release !inE; case: z zO => zO; rewrite (negbTE zO) /=;
    by case: (_ \in O) => /=; split.
- apply: average_inside_const => // O y cO yO.
  have [t eO] := one_of_two cO; move: yO; rewrite eO inE => /eqP ->.
  rewrite /mean sum_pairs !law /released_of -[RHS]vin.
  by case: t {eO}; rewrite /= ?mulr1 ?mulr0 ?addr0 ?add0r // addrC.
- apply: average_outside_const => // O z cO zO.
  have [t eO] := one_of_two cO; move: zO; rewrite eO inE => zt.
  have -> : z = ~~ t by case: z t zt {eO} => -[].
  rewrite /mean sum_pairs !law /released_of -[RHS]vout.
  by case: t {eO zt}; rewrite /= ?mulr1 ?mulr0 ?addr0 ?add0r // addrC.
Qed.

End AttainedByTwoSteps.

(** The average over a choice of people is average CAP of their table; with pooled
    counts as s, that with the nearest keys. *)
Theorem cap_of_chosen (R : realFieldType) (T K P : finType) (target : P -> T) (key : P -> K)
    (O : {set P}) (s : table R T K) : nonneg s ->
  (\sum_(y in O) share s (target y) (key y)) / #|O|%:R
    = cap (fun i j => \sum_(y in O) ((target y == i) && (key y == j))%:R) s.
Proof.
move=> s0; pose o := fun i j => \sum_(y in O) ((target y == i) && (key y == j))%:R : R.
have add (f : T -> K -> R) : \sum_(y in O) f (target y) (key y) = \sum_j \sum_i o i j * f i j.
  have -> : \sum_j \sum_i o i j * f i j
      = \sum_(y in O) \sum_j \sum_i ((target y == i) && (key y == j))%:R * f i j.
    rewrite [RHS]exchange_big; apply: eq_bigr => j _; rewrite [RHS]exchange_big.
    by apply: eq_bigr => i _; rewrite mulr_suml.
  apply: eq_bigr => y _; rewrite (bigD1 (key y)) //= (bigD1 (target y)) //= !eqxx mul1r.
  rewrite big1 ?addr0 => [|i /negbTE ne]; last by rewrite eq_sym ne mul0r.
  rewrite big1 ?addr0 // => j /negbTE ne; apply: big1 => i _.
  by rewrite [_ == j]eq_sym ne andbF mul0r.
rewrite /cap -/o (correct_all o s0) add; congr (_ / _).
rewrite -sumr_const (add (fun _ _ => 1)); apply: eq_bigr => j _.
by apply: eq_bigr => i _; rewrite mulr1.
Qed.

(** With keys of their own, CAP of a person is whether the record is released. *)
Theorem released_is_cap (R : realFieldType) (K : finType) (r : K -> bool) (y : K) :
  share (fun (_ : unit) j => (r j)%:R : R) tt y = (r y)%:R.
Proof.
rewrite /share /key_total (big_pred1 tt) => [|[] //].
by case: (r y); rewrite ?divr1 ?mul0r.
Qed.
