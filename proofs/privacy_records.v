(** * One person's bound where records are added or removed

    Chapter: theory/guarantees.md, statement dp-bound-records.

    In words. Neighbours are data sets of which one has one record more, e =
    exp(epsilon) >= 1, f(x) the smaller of e x and 1 - (1 - x) / e, and b_i the
    expected CAP for target i of the release without the person's record.
    - The person's expected CAP is at most the sum of p_i f(b_i), and the b_i add
      up to at most 1.
    - So it is at most the greatest sum of p_i f(b_i) on the simplex. With the p
      in falling order and w_s = min(1, max(0, e - s + 2)) that is p_1 plus the
      sum over s >= 2 of w_s max(0, p_s - p_1 / e^2) / (1 + 1 / e).
    - For every b on the simplex this is attained by a program for all data sets:
      if the key has exactly one record, with target t, it releases t with
      probability f(b_t) and any other i with b_i (1 - f(b_t)) / (1 - b_t);
      otherwise, with no record of the key or with two or more, i with
      probability b_i.
    - The greatest value is the greatest p exactly if e^2 times any other p is
      at most it; a uniform prior gives f(1 / I). It is at least the bound for
      substitution with e, and at most that with e^2.
    - Given a match (version 2) the bound is that of e^2, attained.
    - A program that releases as many records as it reads is private for no
      epsilon: [no_epsilon_same_size] in privacy.v. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields counts attainable privacy.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Step.

Variables (R : realFieldType) (e : R).
Hypothesis e1 : 1 <= e.
Add Field R_field : (field_laws R).

Let e0 : 0 < e := lt_le_trans ltr01 e1.

(** How far one step between neighbours can raise a probability. *)
Definition step (x : R) := Order.min (e * x) (1 - (1 - x) / e).

Lemma step_le_first x : step x <= e * x.
Proof. by rewrite /step le_minl lexx. Qed.

Lemma step_le_second x : step x <= 1 - (1 - x) / e.
Proof. by rewrite /step le_minl lexx orbT. Qed.

Lemma step_ge x : 0 <= x <= 1 -> x <= step x.
Proof.
move=> /andP[x0 x1]; rewrite /step le_minr ler_pemull //=.
rewrite ler_subr_addl -ler_subr_addr ler_pdivr_mulr // ler_pemulr // subr_ge0 //.
Qed.

Lemma step_ge0 x : 0 <= x <= 1 -> 0 <= step x.
Proof. by move=> x01; apply: le_trans (step_ge x01); case/andP: x01. Qed.

Lemma step_le1 x : x <= 1 -> step x <= 1.
Proof.
move=> x1; apply: le_trans (step_le_second x) _.
by rewrite ger_addl oppr_le0 divr_ge0 ?subr_ge0 // ltW.
Qed.

Lemma step_mono x y : x <= y -> step x <= step y.
Proof.
move=> xy; rewrite /step le_minr !le_minl ler_pmul2l // xy /=.
by rewrite ler_add2l ler_opp2 ler_pmul2r ?invr_gt0 // ler_add2l ler_opp2 xy orbT.
Qed.

(** f is e x up to 1 / (1 + e), and the second line from there. *)
Lemma step_lines x : e * x - (1 - (1 - x) / e) = (e - 1) / e * ((1 + e) * x - 1).
Proof. by mc_field R; apply/eqP; rewrite gt_eqF. Qed.

Lemma step_steep x : (1 + e) * x <= 1 -> step x = e * x.
Proof.
move=> le; apply/min_idPl; rewrite -subr_le0 step_lines.
by rewrite mulr_ge0_le0 ?subr_le0 // divr_ge0 ?subr_ge0 // ltW.
Qed.

Lemma step_flat x : 1 <= (1 + e) * x -> step x = 1 - (1 - x) / e.
Proof.
move=> le; apply/min_idPr; rewrite -subr_ge0 step_lines.
by rewrite mulr_ge0 ?subr_ge0 // divr_ge0 ?subr_ge0 // ltW.
Qed.

(** f is concave: between any two points it is above the chord. *)
Theorem step_concave x y t : 0 <= t <= 1 ->
  t * step x + (1 - t) * step y <= step (t * x + (1 - t) * y).
Proof.
move=> /andP[t0 t1]; have t1' : 0 <= 1 - t by rewrite subr_ge0.
rewrite [X in _ <= X]/step le_minr; apply/andP; split.
  rewrite (_ : e * _ = t * (e * x) + (1 - t) * (e * y)); last by mc_ring R.
  by apply: ler_add; rewrite ler_wpmul2l // step_le_first.
rewrite [X in _ <= X](_ : _ = t * (1 - (1 - x) / e) + (1 - t) * (1 - (1 - y) / e)).
  by apply: ler_add; rewrite ler_wpmul2l // step_le_second.
by mc_ring R.
Qed.

(** Jensen's inequality for it, with weights of sum 1. *)
Lemma step_jensen (I : finType) (w x : I -> R) :
  (forall i, 0 <= w i) -> \sum_i w i = 1 ->
  \sum_i w i * step (x i) <= step (\sum_i w i * x i).
Proof.
move=> w0 w1; rewrite [X in _ <= X]/step le_minr; apply/andP; split.
  rewrite mulr_sumr; apply: ler_sum => i _.
  by rewrite mulrCA ler_wpmul2l // step_le_first.
rewrite [X in _ <= X](_ : _ = \sum_i w i * (1 - (1 - x i) / e)).
  by apply: ler_sum => i _; rewrite ler_wpmul2l // step_le_second.
rewrite -{1 2}w1 -sumrB mulr_suml -sumrB; apply: eq_bigr => i _.
by mc_ring R.
Qed.

(** Means of functions from 0 to 1 under neighbours. *)
Lemma step_private (D : Type) (X : finType) (adj : D -> D -> Prop)
    (M : D -> X -> R) d d' (u : X -> R) :
  mechanism M -> private adj e M -> adj d d' -> (forall x, 0 <= u x <= 1) ->
  mean M d u <= step (mean M d' u) /\ mean M d' u <= step (mean M d u).
Proof.
move=> mM pM a u01.
have u0 x : 0 <= u x by case/andP: (u01 x).
have u1 x : 0 <= 1 - u x by rewrite subr_ge0; case/andP: (u01 x).
have [h1 h2] := mean_private pM a u0; have [h3 h4] := mean_private pM a u1.
rewrite !mean_compl // in h3 h4.
have flip v v' : 1 - v' <= e * (1 - v) -> v <= 1 - (1 - v') / e.
  move=> h; rewrite ler_subr_addl -ler_subr_addr ler_pdivr_mulr // mulrC //.
by split; rewrite /step le_minr ?h1 ?h2 flip.
Qed.

End Step.

Section Bound.

Variables (R : realFieldType) (T : finType) (p : T -> R) (e : R).
Hypotheses (p0 : forall i, 0 <= p i) (p1 : \sum_i p i = 1) (e1 : 1 <= e).
Add Field R_field : (field_laws R).

Let e0 : 0 < e := lt_le_trans ltr01 e1.

(** Points of the simplex, and their values. *)
Definition simplex (b : T -> R) := (forall i, 0 <= b i) /\ \sum_i b i = 1.
Definition records_value (b : T -> R) := \sum_i p i * step e (b i).

(** Part 1: O_- is the data set without the record. *)
Theorem dp_bound_records (D : Type) (X : finType) (M : D -> X -> R)
    (adj : D -> D -> Prop) (without : D) (O : T -> D) (q : X -> T -> R) :
  mechanism M -> private adj e M -> (forall i, adj (O i) without) ->
  attribution q ->
  let b i := mean M without (q^~ i) in
  [/\ forall i, 0 <= b i, \sum_i b i <= 1
    & expected_individual_cap p M O q <= records_value b].
Proof.
move=> mM pM nb [q0 q1] b.
have q01 i x : 0 <= q x i <= 1.
  rewrite q0 /=; apply: le_trans (q1 x); rewrite (bigD1 i) //= ler_addl.
  by apply: sumr_ge0 => j _; exact: q0.
split.
- by move=> i; apply: mean_ge0.
- rewrite exchange_big /= -[leRHS](mM.2 without); apply: ler_sum => x _.
  by rewrite -mulr_sumr ler_pimulr // mM.1.
- apply: ler_sum => i _; rewrite ler_wpmul2l //.
  by have [] := step_private e1 mM pM (nb i) (q01 i).
Qed.

(** A smaller sum than 1 is never better. *)
Lemma simplex_enough (b : T -> R) : (forall i, 0 <= b i) -> \sum_i b i <= 1 ->
  exists2 b', simplex b' & records_value b <= records_value b'.
Proof.
move=> b0 b1.
have [t _|none] := pickP (fun _ : T => true); last first.
  by have := p1; rewrite big_pred0 // => /esym/eqP; rewrite oner_eq0.
pose b' i := b i + (if i == t then 1 - \sum_j b j else 0).
have b'_ge i : b i <= b' i by rewrite ler_addl; case: ifP; rewrite ?subr_ge0.
exists b'.
  split=> [i|]; first exact: le_trans (b'_ge i).
  by rewrite big_split /= -big_mkcond /= big_pred1_eq addrC subrK.
by apply: ler_sum => i _; rewrite ler_wpmul2l // step_mono.
Qed.

(** Part 1: the expected CAP is at most the greatest value on the simplex. *)
Theorem dp_bound_records_greatest (D : Type) (X : finType) (M : D -> X -> R)
    (adj : D -> D -> Prop) (without : D) (O : T -> D) (q : X -> T -> R) B :
  mechanism M -> private adj e M -> (forall i, adj (O i) without) ->
  attribution q -> is_greatest simplex records_value B ->
  expected_individual_cap p M O q <= B.
Proof.
move=> mM pM nb qa [_ most]; have [b0 b1 le] := dp_bound_records mM pM nb qa.
have [b' sb le'] := simplex_enough b0 b1.
by apply: le_trans le (le_trans le' _); exact: most.
Qed.

End Bound.

Section Program.

Variables (R : realFieldType) (T K : finType) (k : K) (e : R).
Hypothesis e1 : 1 <= e.
Add Field R_field : (field_laws R).

Let e0 : 0 < e := lt_le_trans ltr01 e1.

(** Data sets are lists of records, a target and a key each. *)
Definition dataset := seq (T * K).
Definition one_more (d d' : dataset) :=
  exists d1 d2 r, d' = d1 ++ r :: d2 /\ d = d1 ++ d2.

(** The targets of the records with key k. *)
Definition targets_of (d : dataset) := [seq r.1 | r <- d & r.2 == k].

Lemma targets_one_more d d' : one_more d d' ->
  targets_of d' = targets_of d \/
  exists s1 s2 t, targets_of d' = s1 ++ t :: s2 /\ targets_of d = s1 ++ s2.
Proof.
move=> [d1 [d2 [r [-> ->]]]]; rewrite /targets_of !filter_cat /= !map_cat.
case: (r.2 == k); last by left.
by right; exists (targets_of d1), (targets_of d2), r.1.
Qed.

(** A program that looks at the key: one law if it has exactly one record,
    which may depend on its target, and another law otherwise. *)
Definition by_single (X : finType) (other : X -> R) (single : T -> X -> R)
    (d : dataset) : X -> R :=
  if targets_of d is [:: t] then single t else other.

Definition close (X : finType) (g g' : X -> R) :=
  forall x, g x <= e * g' x /\ g' x <= e * g x.

Lemma close_refl (X : finType) (g : X -> R) : (forall x, 0 <= g x) -> close g g.
Proof. by move=> g0 x; split; rewrite ler_pemull. Qed.

Lemma close_sym (X : finType) (g g' : X -> R) : close g g' -> close g' g.
Proof. by move=> c x; have [] := c x. Qed.

Lemma by_single_private (X : finType) (other : X -> R) (single : T -> X -> R) :
  (forall x, 0 <= other x) -> (forall t x, 0 <= single t x) ->
  (forall t, close other (single t)) ->
  private one_more e (by_single other single).
Proof.
move=> o0 s0 c; apply/private_points => d d' a.
rewrite -/(close (by_single other single d) (by_single other single d')).
rewrite /by_single; case: (targets_one_more a) => [->|[s1 [s2 [t [-> ->]]]]].
  by case: (targets_of d) => [|t [|t' s]]; apply: close_refl.
case: s1 => [|t1 [|t2 s1]] /=.
- by case: s2 => [|t' [|t'' s]]; [exact: c | exact/close_sym/c | exact: close_refl].
- by case: s2 => [|t' s]; [exact/close_sym/c | exact: close_refl].
- by case: s1; case: s2 => *; exact: close_refl.
Qed.

Lemma by_single_mechanism (X : finType) (other : X -> R) (single : T -> X -> R) :
  (forall x, 0 <= other x) -> (forall t x, 0 <= single t x) ->
  \sum_x other x = 1 -> (forall t, \sum_x single t x = 1) ->
  mechanism (by_single other single).
Proof.
by move=> o0 s0 o1 s1; split=> [d x|d]; rewrite /by_single;
  case: (targets_of d) => [|t [|t' s]].
Qed.

(** The program of part 2. *)
Definition program_single (b : T -> R) (t y : T) : R :=
  if y == t then step e (b t) else b y * (1 - step e (b t)) / (1 - b t).
Definition program (b : T -> R) := by_single b (program_single b).

Section Facts.

Variable b : T -> R.
Hypothesis sb : simplex b.

Lemma simplex_le1 t : 0 <= b t <= 1.
Proof.
have [b0 b1] := sb; rewrite b0 /= -b1 (bigD1 t) //= ler_addl sumr_ge0 // => i _.
Qed.

Lemma simplex_others t : \sum_(i | i != t) b i = 1 - b t.
Proof. by have [_ <-] := sb; rewrite [in RHS](bigD1 t) //= addrAC subrr add0r. Qed.

Lemma simplex_one t y : b t = 1 -> y != t -> b y = 0.
Proof.
move=> bt ne; have := simplex_others t; rewrite bt subrr => z.
by apply: (psumr_eq0P _ z) => // i _; have [] := sb.
Qed.

Lemma program_single_ge0 t y : 0 <= program_single b t y.
Proof.
have [b0 _] := sb; have bt := simplex_le1 t; have /andP[_ bt1] := bt.
rewrite /program_single; case: ifP => _; first exact: step_ge0.
by rewrite divr_ge0 ?subr_ge0 // mulr_ge0 // subr_ge0 step_le1.
Qed.

Lemma program_single_sum t : \sum_y program_single b t y = 1.
Proof.
rewrite (bigD1 t) //= {1}/program_single eqxx.
rewrite (eq_bigr (fun y => b y * ((1 - step e (b t)) / (1 - b t)))); last first.
  by move=> y /negbTE ne; rewrite /program_single ne mulrA.
rewrite -mulr_suml simplex_others.
have [bt|ne] := eqVneq (b t) 1; last first.
  by rewrite mulrCA divff ?mulr1 ?subr_eq0 1?eq_sym // addrC subrK.
rewrite bt subrr mul0r addr0; apply/eqP; rewrite eq_le step_le1 //.
by rewrite step_ge // ler01 lexx.
Qed.

Lemma program_close t : close b (program_single b t).
Proof.
have [b0 _] := sb; have bt := simplex_le1 t; have /andP[bt0 bt1] := bt.
move=> y; rewrite /program_single; case: (eqVneq y t) => [->|ne].
  split; last exact: step_le_first.
  apply: le_trans (step_ge e1 bt) _; rewrite ler_pemull //.
  exact: step_ge0.
have [b1|n1] := eqVneq (b t) 1; first by rewrite (simplex_one b1 ne) !mul0r mulr0.
have lt : 0 < 1 - b t by rewrite subr_gt0 lt_def eq_sym n1.
split.
  rewrite mulrA ler_pdivl_mulr // mulrCA ler_wpmul2l //.
  have := step_le_second e (b t).
  by rewrite ler_subr_addl -ler_subr_addr ler_pdivr_mulr // mulrC.
rewrite ler_pdivr_mulr // [e * _]mulrC -mulrA ler_wpmul2l //.
apply: (@le_trans _ _ (1 - b t)); first by rewrite ler_add2l ler_opp2 step_ge.
by rewrite ler_pemull // ltW.
Qed.

End Facts.

(** Part 2: private for all data sets, and it attains the value of b where
    nobody else has the person's key. *)
Theorem dp_bound_records_attained (p b : T -> R) (d : dataset) :
  simplex b -> targets_of d = [::] ->
  [/\ mechanism (program b), private one_more e (program b)
    & expected_individual_cap p (program b) (fun i => (i, k) :: d)
        (fun y i => share (one_cell 1 y k : table R T K) i k)
      = records_value p e b].
Proof.
move=> sb nobody; split.
- apply: by_single_mechanism => [|t x||t]; try by case: sb.
    exact: program_single_ge0.
  exact: program_single_sum.
- apply: by_single_private => [|t x|t]; first by case: sb.
    exact: program_single_ge0.
  exact: program_close.
- apply: eq_bigr => i _; congr (_ * _).
  have E : program b ((i, k) :: d) = program_single b i.
    by rewrite /program /by_single /targets_of /= eqxx /= -/(targets_of d) nobody.
  rewrite /mean E (bigD1 i) //= big1 => [|y ne].
    by rewrite released_share eqxx mulr1 addr0 /program_single eqxx.
  by rewrite released_share eq_sym (negbTE ne) mulr0.
Qed.

End Program.

Section Values.

Variables (R : realFieldType) (T : finType) (p : T -> R) (e : R).
Hypotheses (p0 : forall i, 0 <= p i) (p1 : \sum_i p i = 1) (e1 : 1 <= e).
Add Field R_field : (field_laws R).

Let e0 : 0 < e := lt_le_trans ltr01 e1.

(** Part 4: when nothing is better than the guess without a release. *)
Theorem dp_bound_records_modal t : (forall i, p i <= p t) ->
  (forall b, simplex b -> records_value p e b <= p t) <->
  (forall i, i != t -> e ^+ 2 * p i <= p t).
Proof.
move=> modal; split=> [most i ne|le b sb].
  pose beta := (1 + e)^-1.
  have d0 : 0 < 1 + e by exact: addr_gt0 ltr01 e0.
  pose b x := if x == t then 1 - beta else if x == i then beta else 0.
  have others : \sum_(x | x != t) b x = beta.
    rewrite (bigD1 i) //= big1 => [|x /andP[/negbTE nt /negbTE ni]].
      by rewrite /b (negbTE ne) eqxx addr0.
    by rewrite /b nt ni.
  have beta1 : beta <= 1 by rewrite invf_le1 // ler_addl ltW.
  have beta0 : 0 < beta by rewrite invr_gt0.
  have sb : simplex b.
    split=> [x|]; last by rewrite (bigD1 t) //= others /b eqxx subrK.
    rewrite /b; case: ifP => _; first by rewrite subr_ge0.
    by case: ifP => _ //; exact: ltW.
  have c_beta : (1 + e) * beta = 1 by rewrite divff // gt_eqF.
  have s_beta : step e beta = e * beta by rewrite step_steep // c_beta.
  have s_1beta : step e (1 - beta) = 1 - beta / e.
    rewrite step_flat // ?mulrBr ?c_beta; first by rewrite opprB addrCA subrr addr0.
    by rewrite mulr1 addrC addKr.
  have := most b sb; rewrite /records_value (bigD1 t) //= {1}/b eqxx s_1beta.
  rewrite (bigD1 i) //= {1}/b (negbTE ne) eqxx s_beta => h.
  have rest : 0 <= \sum_(x | (x != t) && (x != i)) p x * step e (b x).
    apply: sumr_ge0 => x _; rewrite mulr_ge0 // step_ge0 //.
    exact: simplex_le1.
  have h' : p t * (1 - beta / e) + p i * (e * beta) <= p t.
    by apply: le_trans h; rewrite ler_add2l ler_addl.
  move: h'; rewrite mulrBr mulr1 addrAC -ler_subr_addr opprK -subr_ge0.
  rewrite [X in 0 <= X](_ : _ = (p t - e ^+ 2 * p i) * (beta / e)); last first.
    by rewrite /beta; mc_field R; split; apply/eqP; rewrite gt_eqF.
  by rewrite pmulr_lge0 ?divr_gt0 // subr_ge0.
have [b0 b1] := sb.
rewrite /records_value (bigD1 t) //=.
apply: (@le_trans _ _ (p t * (1 - (1 - b t) / e) + \sum_(i | i != t) p t / e * b i)).
  apply: ler_add; first by rewrite ler_wpmul2l // step_le_second.
  apply: ler_sum => i ne; apply: (@le_trans _ _ (p i * (e * b i))).
    by rewrite ler_wpmul2l // step_le_first.
  rewrite mulrA ler_wpmul2r // ler_pdivl_mulr // -mulrA mulrC.
  by have := le i ne; rewrite expr2.
rewrite -mulr_sumr (simplex_others sb).
by rewrite le_eqVlt; apply/orP; left; apply/eqP; mc_ring R.
Qed.

(** Part 4: a uniform prior. *)
Theorem dp_bound_records_uniform : (0 < #|T|)%N ->
  is_greatest (@simplex R T) (records_value (fun=> #|T|%:R^-1) e)
    (step e #|T|%:R^-1).
Proof.
move=> T0; have u0 : 0 < #|T|%:R :> R by rewrite ltr0n.
have w1 : \sum_(i : T) #|T|%:R^-1 = 1 :> R.
  by rewrite sumr_const -[LHS]mulr_natr mulVf ?gt_eqF.
have w0 i : 0 <= (fun _ : T => #|T|%:R^-1 : R) i by rewrite invr_ge0 ler0n.
split; first by exists (fun=> #|T|%:R^-1) => //; rewrite /records_value -mulr_suml w1 mul1r.
move=> b [b0 b1]; have := step_jensen e b w0 w1.
by rewrite -[in X in _ <= X]mulr_sumr b1 mulr1.
Qed.

End Values.

Section TwoSteps.

Variables (R : realFieldType) (T : finType).
Add Field R_field : (field_laws R).

Lemma private_two_steps (D : Type) (X : finType) (adj : D -> D -> Prop)
    (M : D -> X -> R) e : 0 <= e -> private adj e M ->
  private (fun d d' => exists c, adj d c /\ adj d' c) (e * e) M.
Proof.
move=> e0 /private_points pM; apply/private_points => d d' [c [a a']] x.
have [h1 h2] := pM _ _ a x; have [h3 h4] := pM _ _ a' x.
by split; rewrite -mulrA; [apply: le_trans h1 _ | apply: le_trans h3 _];
  rewrite ler_wpmul2l.
Qed.

(** Part 3: given a match, with e^2 for e. *)
Theorem dp_bound_records_drop (p : T -> R) (e : R) (t1 : T) (D : Type)
    (X : finType) (M : D -> X -> R) (adj : D -> D -> Prop) (without : D)
    (O : T -> D) (q : X -> T -> R) (m : pred X) :
  (forall i, 0 <= p i) -> \sum_i p i = 1 -> 1 <= e -> (forall i, p i <= p t1) ->
  mechanism M -> private adj e M -> (forall i, adj (O i) without) ->
  (forall x i, 0 <= q x i) -> (forall x, m x -> \sum_i q x i = 1) ->
  0 < \sum_i p i * (\sum_(x | m x) M (O i) x) ->
  (\sum_i p i * (\sum_(x | m x) M (O i) x * q x i))
    / (\sum_i p i * (\sum_(x | m x) M (O i) x)) <= drop_bound p (e * e) t1.
Proof.
move=> p0 p1 e1 modal mM pM nb q0 q1 pos.
have e0 : 0 <= e := le_trans ler01 e1.
apply: (dp_bound_drop p0 p1 _ modal mM (private_two_steps e0 pM)) => //.
  by rewrite -[X in X <= _]mulr1 ler_pmul // ler01.
by move=> i j _; exists without.
Qed.

End TwoSteps.

Section DropProgram.

Variables (R : realFieldType) (T K : finType) (k : K) (e : R) (p : T -> R) (t1 : T).
Hypotheses (e1 : 1 <= e) (p0 : forall i, 0 <= p i) (p1 : \sum_i p i = 1).
Hypothesis modal : forall i, p i <= p t1.
Add Field R_field : (field_laws R).

Let e0 : 0 < e := lt_le_trans ltr01 e1.
Let c : R := (1 + e)^-1.

(** Release the likeliest target (true) or nothing (false). *)
Definition drop_chance (t : T) : R := if t == t1 then e * c else c / e.
Definition drop_other (y : bool) : R := if y then c else 1 - c.
Definition drop_single (t : T) (y : bool) : R :=
  if y then drop_chance t else 1 - drop_chance t.
Definition drop_program := by_single k drop_other drop_single.

Let d0 : 0 < 1 + e. Proof. exact: addr_gt0 ltr01 e0. Qed.
Let c0 : 0 < c. Proof. by rewrite invr_gt0. Qed.
Let ce : (1 + e) * c = 1. Proof. by rewrite divff ?gt_eqF. Qed.
Let rest : 1 - c = e * c. Proof. by rewrite -ce; mc_ring R. Qed.
Let rest1 : 1 - e * c = c. Proof. by rewrite -[X in X - _]ce; mc_ring R. Qed.
Let en : e <> 0. Proof. by apply/eqP; rewrite gt_eqF. Qed.
Let dn : 1 + e <> 0. Proof. by apply/eqP; rewrite gt_eqF. Qed.

Let rest2 : 1 - c / e = e * e * c - (e - 1) ^+ 2 / e.
Proof. by rewrite /c; mc_field R. Qed.

Let low : c <= 1 - c / e.
Proof.
rewrite -subr_ge0 [X in 0 <= X](_ : _ = (e - 1) / e); last by rewrite /c; mc_field R.
by apply: divr_ge0; [rewrite subr_ge0 | exact: ltW].
Qed.

Lemma drop_close t : close e drop_other (drop_single t).
Proof.
have up x : 0 <= x -> x <= e * x by move=> x0; rewrite ler_pemull.
have ec : 0 <= e * c by apply: mulr_ge0; exact: ltW.
have cd : 0 <= c / e by apply: divr_ge0; exact: ltW.
have back : e * (c / e) = c by rewrite mulrC divfK ?gt_eqF.
move=> y; rewrite /drop_other /drop_single /drop_chance rest.
case: y; case: (t == t1); rewrite ?rest1; split.
- exact: le_trans (up _ (ltW c0)) (up _ ec).
- exact: lexx.
- by rewrite back.
- by apply: le_trans (up _ cd) _; rewrite back; exact: up (ltW c0).
- exact: lexx.
- exact: le_trans (up _ (ltW c0)) (up _ ec).
- by rewrite ler_pmul2l.
- rewrite mulrA rest2 ger_addl oppr_le0.
  by apply: divr_ge0; [exact: sqr_ge0 | exact: ltW].
Qed.

(** Part 3: attained where nobody else has the key. *)
Theorem dp_bound_records_drop_attained (d : dataset T K) : targets_of k d = [::] ->
  [/\ mechanism drop_program, private (@one_more T K) e drop_program
    & (\sum_i p i * (\sum_(y | y) drop_program ((i, k) :: d) y * (i == t1)%:R))
      / (\sum_i p i * (\sum_(y | y) drop_program ((i, k) :: d) y))
      = drop_bound p (e * e) t1].
Proof.
move=> nobody; have other0 y : 0 <= drop_other y.
  case: y; rewrite /drop_other ?rest; first exact: ltW.
  by apply: mulr_ge0; exact: ltW.
have single0 t y : 0 <= drop_single t y.
  have [_ h] := drop_close t y.
  by rewrite -(pmulr_rge0 _ e0); apply: le_trans (drop_close t y).1.
split.
- apply: by_single_mechanism => [//|//||t]; rewrite big_bool /= addrC subrK //.
- by apply: by_single_private => // t; exact: drop_close.
have law i : drop_program ((i, k) :: d) = drop_single i.
  by rewrite /drop_program /by_single /targets_of /= eqxx /= -/(targets_of k d) nobody.
have yes i : \sum_(y | y) drop_program ((i, k) :: d) y = drop_chance i.
  by rewrite law big_mkcond big_bool /= addr0.
have -> : \sum_i p i * (\sum_(y | y) drop_program ((i, k) :: d) y * (i == t1)%:R)
    = p t1 * (e * c).
  rewrite (bigD1 t1) //= [X in _ + X]big1 => [|i /negbTE ne]; last first.
    by rewrite ne [X in _ * X]big1 ?mulr0 // => y _; rewrite mulr0.
  by rewrite -mulr_suml yes /drop_chance !eqxx mulr1 addr0.
have -> : \sum_i p i * (\sum_(y | y) drop_program ((i, k) :: d) y)
    = p t1 * (e * c) + (1 - p t1) * (c / e).
  rewrite (bigD1 t1) //= yes /drop_chance eqxx; congr (_ + _).
  rewrite (eq_bigr (fun i => p i * (c / e))) => [|i /negbTE ne]; last first.
    by rewrite yes /drop_chance ne.
  rewrite -mulr_suml; congr (_ * _).
  by rewrite -p1 [in RHS](bigD1 t1) //= addrAC subrr add0r.
have ee1 : 1 <= e * e by rewrite -[X in X <= _]mulr1 ler_pmul // ler01.
have dd := drop_denominator_gt0 p0 ee1 t1.
rewrite /drop_bound /c; mc_field R.
by split; last split; apply/eqP; rewrite gt_eqF.
Qed.

End DropProgram.

Section Filling.

Variables (R : realFieldType) (t : R) (g m : nat -> R).
Hypotheses (t0 : 0 <= t) (g0 : forall i, 0 <= g i) (g_falls : forall i, g i.+1 <= g i).
Hypothesis m01 : forall i, 0 <= m i <= 1.
Add Field R_field : (field_laws R).

(** What is left for place k of a length t, if each place before it took 1. *)
Definition room k : R := Order.min 1 (Order.max 0 (t - k%:R)).

Lemma room_ge0 k : 0 <= room k.
Proof. by rewrite le_minr ler01 le_maxr lexx. Qed.

Lemma room_le1 k : room k <= 1.
Proof. by rewrite le_minl lexx. Qed.

Lemma room_sum k : \sum_(i < k) room i = Order.min k%:R t.
Proof.
elim: k => [|k IH]; first by rewrite big_ord0 (min_idPl t0).
rewrite big_ord_recr /= IH /room -[k.+1]addn1 natrD; case: (leP k%:R t) => le.
  rewrite (max_idPr _) ?subr_ge0 //; case: (leP (k%:R + 1) t) => le'.
    by rewrite (min_idPl _) // ler_subr_addr addrC.
  rewrite (min_idPr _); first by rewrite addrC subrK.
  by rewrite ler_subl_addr addrC ltW.
rewrite (max_idPl _) ?subr_le0 ?(ltW le) // (min_idPr ler01) addr0.
by rewrite (min_idPr _) // (le_trans (ltW le)) // ler_addl ler01.
Qed.

Lemma fill_sum k : \sum_(i < k) m i <= t -> \sum_(i < k) m i <= \sum_(i < k) room i.
Proof.
move=> le; rewrite room_sum le_minr le andbT.
rewrite -[X in _ <= X%:R]card_ord -sumr_const; apply: ler_sum => i _.
by case/andP: (m01 i).
Qed.

(** The most valuable places first. *)
Lemma fill k : \sum_(i < k) m i <= t ->
  (\sum_(i < k) room i - \sum_(i < k) m i) * g k
    <= \sum_(i < k) g i * room i - \sum_(i < k) g i * m i.
Proof.
elim: k => [|k IH] le; first by rewrite !big_ord0 !subrr mul0r.
have le' : \sum_(i < k) m i <= t.
  by apply: le_trans le; rewrite big_ord_recr /= ler_addl; case/andP: (m01 k).
have := fill_sum le; rewrite -subr_ge0 => more.
apply: le_trans (ler_wpmul2l more (g_falls k)) _.
rewrite !big_ord_recr /= -subr_ge0; have := IH le'; rewrite -subr_ge0.
move: (\sum_(i < k) g i * room i) (\sum_(i < k) g i * m i) (\sum_(i < k) room i)
  (\sum_(i < k) m i) (room k) (m k) (g k) => A B V M r c v h.
by rewrite [X in 0 <= X](_ : _ = A - B - (V - M) * v) //; mc_ring R.
Qed.

Lemma fill_best k : \sum_(i < k) m i <= t ->
  \sum_(i < k) g i * m i <= \sum_(i < k) g i * room i.
Proof.
move=> le; rewrite -subr_ge0; apply: le_trans (fill le).
by rewrite mulr_ge0 // subr_ge0 fill_sum.
Qed.

End Filling.

Section SortedFormula.

Variables (R : realFieldType) (n : nat) (p : 'I_n.+1 -> R) (e : R).
Hypotheses (p0 : forall i, 0 <= p i) (e1 : 1 <= e).
Hypothesis sorted : forall i j : 'I_n.+1, (i <= j)%N -> p j <= p i.
Add Field R_field : (field_laws R).

Let e0 : 0 < e := lt_le_trans ltr01 e1.
Let c0 : 0 < 1 + e := addr_gt0 ltr01 e0.
Let en : e <> 0. Proof. by apply/eqP; rewrite gt_eqF. Qed.
Let cn : 1 + e <> 0. Proof. by apply/eqP; rewrite gt_eqF. Qed.

(** w_s, and the formula: the target i stands in place s = i + 1. *)
Definition place_weight (s : nat) : R := Order.min 1 (Order.max 0 (e - s%:R + 2%:R)).
Definition gain (i : 'I_n.+1) : R := Order.max 0 (p i - p ord0 / e ^+ 2).
Definition sorted_bound : R :=
  p ord0 + \sum_(i | i != ord0) place_weight i.+1 * (gain i / (1 + e^-1)).

Let top i : p i <= p ord0. Proof. exact: sorted. Qed.

Let weight_room (i : nat) : place_weight i.+1 = room (1 + e) i.
Proof.
rewrite /place_weight /room; congr (Order.min _ (Order.max _ _)).
by rewrite -addn1 natrD; mc_ring R.
Qed.

Let room0 : room (1 + e) 0 = 1.
Proof. by rewrite /room subr0 (max_idPr (ltW c0)) (min_idPl _) // ler_addl ltW. Qed.

Let gain0 : gain ord0 = p ord0 - p ord0 / e ^+ 2.
Proof.
apply/max_idPr; rewrite subr_ge0 ler_pdivr_mulr ?exprn_gt0 //.
by rewrite ler_pemulr // exprn_ege1.
Qed.

(** The formula, with the first place as the others. *)
Let sorted_boundE :
  sorted_bound = p ord0 / e + e / (1 + e) * (\sum_i gain i * room (1 + e) i).
Proof.
rewrite /sorted_bound [in RHS](bigD1 ord0) //= room0 gain0 mulr1 mulrDr addrA mulr_sumr.
congr (_ + _); first by mc_field R.
by apply: eq_bigr => i _; rewrite weight_room; mc_field R; split=> //; split.
Qed.

Let ext (F : 'I_n.+1 -> R) k := F (inord (minn k n)).
Let ext_ord F (i : 'I_n.+1) : ext F i = F i.
Proof. by rewrite /ext (minn_idPl _) ?inord_val // -ltnS. Qed.

Let sorted_most b : simplex b -> records_value p e b <= sorted_bound.
Proof.
move=> [b0 b1]; rewrite sorted_boundE.
have spread x : x = \sum_i x * b i by rewrite -mulr_sumr b1 mulr1.
pose m i := Order.min ((1 + e) * b i) 1.
have m01 i : 0 <= m i <= 1.
  by rewrite /m le_minr ler01 mulr_ge0 ?(ltW c0) //= le_minl lexx orbT.
have filled : \sum_i gain i * m i <= \sum_i gain i * room (1 + e) i.
  have falls i : ext gain i.+1 <= ext gain i.
    rewrite le_maxl !le_maxr lexx /= ler_add2r sorted ?orbT //.
    by rewrite !inordK ?ltnS ?geq_minr // leq_min geq_minr (leq_trans (geq_minl _ _)).
  have := @fill_best R (1 + e) (ext gain) (ext m) (ltW c0) _ falls (fun=> m01 _) n.+1.
  have -> : \sum_(i < n.+1) ext m i = \sum_i m i by apply: eq_bigr => i _; rewrite ext_ord.
  have -> : \sum_(i < n.+1) ext gain i * ext m i = \sum_i gain i * m i.
    by apply: eq_bigr => i _; rewrite !ext_ord.
  have -> : \sum_(i < n.+1) ext gain i * room (1 + e) i = \sum_i gain i * room (1 + e) i.
    by apply: eq_bigr => i _; rewrite ext_ord.
  apply=> [i|]; first by rewrite le_maxr lexx.
  by rewrite [leRHS]spread; apply: ler_sum => i _; rewrite /m le_minl lexx.
apply: (@le_trans _ _ (p ord0 / e + e / (1 + e) * (\sum_i gain i * m i))); last first.
  by rewrite ler_add2l ler_wpmul2l // divr_ge0 // ltW.
rewrite [p ord0 / e]spread [X in _ + X]mulr_sumr -big_split /=.
apply: ler_sum => i _; have gi : p i - p ord0 / e ^+ 2 <= gain i by rewrite le_maxr lexx orbT.
rewrite /m; case: (leP ((1 + e) * b i) 1) => le.
  rewrite step_steep // -subr_ge0.
  rewrite [X in 0 <= X](_ : _ = e * b i * (gain i - (p i - p ord0 / e ^+ 2))).
    by rewrite mulr_ge0 ?subr_ge0 // mulr_ge0 // ltW.
  by mc_field R.
rewrite (step_flat e1 (ltW le)) -subr_ge0.
rewrite [X in 0 <= X](_ : _ = e / (1 + e) * (gain i - (p i - p ord0 / e ^+ 2))
    + ((1 + e) * b i - 1) / (e * (1 + e)) * (p ord0 - p i)).
  rewrite addr_ge0 // mulr_ge0 ?subr_ge0 //; first by rewrite divr_ge0 // ltW.
  by rewrite divr_ge0 ?subr_ge0 ?(ltW le) // mulr_ge0 // ltW.
by mc_field R.
Qed.

(** The pieces that gain, each in its place, and the rest for the likeliest. *)
Let used (i : 'I_n.+1) : R :=
  if p ord0 < e ^+ 2 * p i then place_weight i.+1 / (1 + e) else 0.
Let left_over : R := 1 - \sum_(i | i != ord0) used i.
Let best_point (i : 'I_n.+1) : R := if i == ord0 then left_over else used i.

Let used01 i : 0 <= used i /\ (1 + e) * used i <= 1.
Proof.
rewrite /used weight_room; case: ifP => _; last by rewrite mulr0 ler01.
by rewrite divr_ge0 ?room_ge0 ?(ltW c0) // mulrC divfK ?room_le1 //; exact/eqP.
Qed.

Let left_over_big : 1 <= (1 + e) * left_over.
Proof.
have sum_w : \sum_(i : 'I_n.+1 | i != ord0) room (1 + e) i <= e.
  have := @room_sum R (1 + e) (ltW c0) n.+1; rewrite (bigD1 ord0) //= room0 => all.
  by rewrite -(ler_add2l 1) all le_minl lexx orbT.
have : \sum_(i | i != ord0) used i <= e / (1 + e).
  apply: le_trans (_ : \sum_(i : 'I_n.+1 | i != ord0) room (1 + e) i / (1 + e) <= _).
    apply: ler_sum => i _; rewrite /used weight_room; case: ifP => // _.
    by rewrite divr_ge0 ?room_ge0 // ltW.
  by rewrite -mulr_suml ler_pmul2r // invr_gt0.
rewrite ler_pdivl_mulr // mulrC => le.
by rewrite /left_over mulrBr mulr1 ler_subr_addr ler_add2l.
Qed.

Let best_simplex : simplex best_point.
Proof.
split=> [i|].
  rewrite /best_point; case: eqP => _; last by case: (used01 i).
  by rewrite -(pmulr_rge0 _ c0); exact: le_trans ler01 left_over_big.
rewrite (bigD1 ord0) //= /best_point eqxx (eq_bigr used) => [|i /negbTE -> //].
by rewrite /left_over subrK.
Qed.

Let best_value : records_value p e best_point = sorted_bound.
Proof.
rewrite /records_value /sorted_bound (bigD1 ord0) //= /best_point eqxx.
rewrite step_flat ?left_over_big // /left_over opprB addrCA subrr addr0.
rewrite mulrBr mulr1 -addrA; congr (_ + _); rewrite mulr_suml mulr_sumr -sumrN -big_split /=.
apply: eq_bigr => i /negbTE ne; rewrite ne (step_steep e1 (used01 i).2) /used /gain.
have cn' : e + 1 <> 0 by rewrite addrC.
have [lt|le] := ltP (p ord0) (e ^+ 2 * p i).
  rewrite (max_idPr _); first by mc_field R.
  by rewrite subr_ge0 ler_pdivr_mulr ?exprn_gt0 // mulrC ltW.
rewrite (max_idPl _) ?mulr0 ?mul0r ?mulr0 ?oppr0 ?addr0 //.
by rewrite subr_le0 ler_pdivl_mulr ?exprn_gt0 // mulrC.
Qed.

(** Part 1: the formula is the greatest value on the simplex. *)
Theorem dp_bound_records_sorted :
  is_greatest (@simplex R [finType of 'I_n.+1]) (records_value p e) sorted_bound.
Proof. by split; [exists best_point | exact: sorted_most]. Qed.

End SortedFormula.

Section Comparison.

Variables (R : realFieldType) (T : finType) (p : T -> R) (e : R).
Hypotheses (p0 : forall i, 0 <= p i) (p1 : \sum_i p i = 1) (e1 : 1 <= e).
Add Field R_field : (field_laws R).

Let e0 : 0 < e := lt_le_trans ltr01 e1.

(** Part 4: B_pm is the greatest p exactly if e^2 times any other is at most it. *)
Theorem dp_bound_records_guess Bpm t : (forall i, p i <= p t) ->
  is_greatest (@simplex R T) (records_value p e) Bpm ->
  Bpm = p t <-> forall i, i != t -> e ^+ 2 * p i <= p t.
Proof.
move=> modal [[b sb vb] most]; rewrite -(dp_bound_records_modal p0 e1 modal).
split=> [<- //|le]; apply/eqP; rewrite eq_le -{1}vb le //=.
pose one i : R := (i == t)%:R.
have s1 : simplex one.
  split=> [i|]; first exact: ler0n.
  by rewrite (bigD1 t) //= /one eqxx big1 ?addr0 // => i /negbTE ->.
apply: le_trans (most one s1); rewrite /records_value (bigD1 t) //= big1 => [|i /negbTE ne].
  rewrite addr0 /one eqxx ler_pemulr // step_ge // ler01 lexx //.
by rewrite /one ne /step mulr0 (min_idPl _) ?mulr0 // subr_ge0 subr0 div1r invf_le1.
Qed.

(** Part 4: between the bounds for substitution with epsilon and with twice it. *)
Theorem dp_bound_records_between B Bpm B2 :
  is_greatest (fun A : {set T} => A != set0) (response_value p e) B ->
  is_greatest (@simplex R T) (records_value p e) Bpm ->
  is_greatest (fun A : {set T} => A != set0) (response_value p (e * e)) B2 ->
  B <= Bpm <= B2.
Proof.
move=> [[A An <-] _] most most2; apply/andP; split.
  have [mM pM <-] := dp_bound_attained p e1 tt An; have [t _] := set0Pn _ An.
  apply: (dp_bound_records_greatest p0 p1 e1 mM pM (without := t)) => //.
  by apply: share_attribution => y; apply: one_cell_nonneg; exact: ler01.
have [[b sb <-] _] := most.
have [mM pM <-] := @dp_bound_records_attained R T [finType of unit] tt e e1 p b [::] sb erefl.
have pM' : private (fun d d' => one_more d' d) e (program tt e b).
  by move=> d d' a E; have [] := pM d' d a E.
have ee1 : 1 <= e * e by rewrite -[X in X <= _]mulr1 ler_pmul // ler01.
apply: (dp_bound p0 ee1 mM (private_two_steps (ltW e0) pM') (O := fun i => [:: (i, tt)])) most2.
  by move=> i j _; exists [::]; split; exists [::], [::]; [exists (i, tt) | exists (j, tt)].
by apply: share_attribution => y; apply: one_cell_nonneg; exact: ler01.
Qed.

End Comparison.

(** The formula for targets in any order: s names them by falling p. *)
Theorem dp_bound_records_any_order (R : realFieldType) (T : finType) (n : nat) (s : 'I_n.+1 -> T)
    (p : T -> R) (e : R) : bijective s -> (forall i, 0 <= p i) -> 1 <= e ->
  (forall i j : 'I_n.+1, (i <= j)%N -> p (s j) <= p (s i)) ->
  is_greatest (@simplex R T) (records_value p e) (sorted_bound (fun i => p (s i)) e).
Proof.
move=> bs p0 e1 falls; have [g sK gK] := bs.
have sum (F : T -> R) : \sum_i F i = \sum_i F (s i) by rewrite (reindex s) //; exact: onW_bij.
have [[b [b0 b1] <-] most] := dp_bound_records_sorted (fun i => p0 (s i)) e1 falls.
split=> [|c [c0 c1]].
  exists (fun i => b (g i)).
    by split=> //; rewrite sum -b1; apply: eq_bigr => i _; rewrite sK.
  by rewrite /records_value sum; apply: eq_bigr => i _; rewrite sK.
have := most (fun i => c (s i)); rewrite /records_value sum; apply.
by split=> //; rewrite -c1 sum.
Qed.

Theorem falling_order_exists (R : realFieldType) (T : finType) (n : nat) (p : T -> R) : #|T| = n.+1 ->
  exists2 s : 'I_n.+1 -> T, bijective s & forall i j : 'I_n.+1, (i <= j)%N -> p (s j) <= p (s i).
Proof.
move=> cT; pose l := sort (fun i j => p j <= p i) (enum T).
have [t _] : exists t : T, true by have /card_gt0P[t] : (0 < #|T|)%N by [rewrite cT]; exists t.
have sl : size l = n.+1 by rewrite size_sort -cardE.
have ul : uniq l by rewrite sort_uniq enum_uniq.
exists (fun i : 'I_n.+1 => nth t l i).
  apply: inj_card_bij; last by rewrite card_ord cT.
  by move=> i j /eqP; rewrite nth_uniq ?sl // => /eqP /val_inj.
have sorted_l : sorted (fun i j => p j <= p i) l.
  by apply: sort_sorted => x y; exact: le_total.
move=> i j ij; apply: (sorted_leq_nth (leT := fun x y => p y <= p x)) => //.
- by move=> y x z xy yz; exact: le_trans yz xy.
- by rewrite inE sl.
- by rewrite inE sl.
Qed.

(** Version 2 (drop) as a table. *)
Theorem dp_bound_records_drop_cap (R : realFieldType) (T K : finType) (k : K) (e : R)
    (p : T -> R) (t1 : T) (d : dataset T K) :
  1 <= e -> (forall i, 0 <= p i) -> \sum_i p i = 1 -> targets_of k d = [::] ->
  let m y := matched (told R k t1 y) k in
  (\sum_i p i * (\sum_(y | m y) drop_program k e t1 ((i, k) :: d) y * share (told R k t1 y) i k))
    / (\sum_i p i * (\sum_(y | m y) drop_program k e t1 ((i, k) :: d) y)) = drop_bound p (e * e) t1.
Proof.
move=> e1 p0 p1 nobody m.
have [_ _ <-] := dp_bound_records_drop_attained t1 e1 p0 p1 nobody.
have em y : m y = y by have [] := told_cap R k t1 t1 y.
congr (_ / _); apply: eq_bigr => i _; congr (_ * _); apply: eq_big => y; rewrite ?em // => my.
by have [_ ->] := told_cap R k t1 i y.
Qed.
