(** * What several published tables say together

    Chapter: theory/certainty.md, statement published.

    In words. Joint cells are combinations of all columns. Each of several
    published tables puts joint cells together, and says of the people in each of
    its cells that they are at least a and at most b (or any number). A table of
    whole numbers agrees if all this is true of it. Each joint cell starts with
    bounds that hold, such as 0 and a number that no count exceeds. A step may
    exclude counts that some table does not leave to a cell, given the bounds of
    the other joint cells.
    - After any steps every table that agrees is still within the bounds. One of
      the steps puts them at a less the upper, b less the lower bounds of the others.
    - If no cell of a key with another target may hold anybody, all people of the
      key have the target, whoever they are: a claim is never false.
    - Bounds of sums and of shares of targets in keys follow.
    - Multipliers of the published counts that add up to at most 0, and in each
      joint cell to z >= 0, show that joint cells with z > 0 are empty.
    - One table by itself rules out those joint cells that it publishes as 0. If a
      joint cell may have one more person in all tables, it is never ruled out.
    - Three questions, each with one yes and one no, and nobody with two yes: then
      one person has three. No step finds that, and no multipliers do. *)

From mathcomp Require Import all_ssreflect.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Published.

(** Joint cells, tables, and their cells, with the least and the greatest count of each. *)
Variables (X T C : finType) (cell : T -> X -> C).
Variables (low : T -> C -> nat) (up : T -> C -> option nat).

Definition at_most k (o : option nat) := if o is Some m then k <= m else true.
Definition held (n : X -> nat) t c := \sum_(x | cell t x == c) n x.
Definition agrees_with n t := forall c, low t c <= held n t c /\ at_most (held n t c) (up t c).
Definition agrees n := forall t, agrees_with n t.

(** Lower and upper bounds of all joint cells. *)
Definition between (b : (X -> nat) * (X -> nat)) n := forall x, b.1 x <= n x <= b.2 x.
Definition rest_of (n : X -> nat) t x := \sum_(y | (cell t y == cell t x) && (y != x)) n y.
Definition leaves b t x k := low t (cell t x) <= k + rest_of b.2 t x /\
  at_most (k + rest_of b.1 t x) (up t (cell t x)).
(** A step: b' excludes no count that b and the tables leave to a cell. *)
Definition narrows b b' := forall x k, b.1 x <= k <= b.2 x -> (forall t, leaves b t x k) ->
  b'.1 x <= k <= b'.2 x.
Definition tightened b t : (X -> nat) * (X -> nat) :=
  (fun x => maxn (b.1 x) (low t (cell t x) - rest_of b.2 t x),
   fun x => if up t (cell t x) is Some m then minn (b.2 x) (m - rest_of b.1 t x) else b.2 x).

Lemma at_most_le k k' o : k <= k' -> at_most k' o -> at_most k o.
Proof. by case: o => //= m; apply: leq_trans. Qed.

Lemma held_rest n t x : held n t (cell t x) = n x + rest_of n t x.
Proof. by rewrite /held (bigD1 x) //=. Qed.

Lemma rest_of_le n n' t x : (forall y, n y <= n' y) -> rest_of n t x <= rest_of n' t x.
Proof. by move=> le; apply: leq_sum => y _. Qed.

Theorem tightened_step b t : narrows b (tightened b t).
Proof.
move=> x k /andP[lo hi] /(_ t)[l u] /=; rewrite geq_max lo leq_subLR addnC l /=.
by case: (up t _) u => //= m u; rewrite leq_min hi leq_subRL ?(leq_trans (leq_addl _ _) u) // addnC.
Qed.

Theorem between_step n b b' : agrees n -> between b n -> narrows b b' -> between b' n.
Proof.
move=> ok in_b next x; apply: next => // t; have [l u] := ok t (cell t x).
rewrite held_rest in l u; split.
  by apply: leq_trans l _; rewrite leq_add2l rest_of_le // => y; have /andP[] := in_b y.
by apply: at_most_le u; rewrite leq_add2l rest_of_le // => y; have /andP[] := in_b y.
Qed.

(** Any sequence of steps. *)
Theorem published_sound n (b : nat -> (X -> nat) * (X -> nat)) : agrees n -> between (b 0) n ->
  (forall i, narrows (b i) (b i.+1)) -> forall i, between (b i) n.
Proof. by move=> ok start next; elim=> // i IH; apply: between_step IH (next i). Qed.

Theorem published_tables n N ts : agrees n -> (forall x, n x <= N) ->
  between (foldl tightened (fun=> 0, fun=> N) ts) n.
Proof.
move=> ok le; have : between (fun=> 0, fun=> N) n by move=> x /=.
elim: ts (fun=> 0, fun=> N) => //= t ts IH b in_b.
by apply: IH; apply: between_step ok in_b (@tightened_step b t).
Qed.

Theorem between_sums b n (S : pred X) : between b n ->
  \sum_(x | S x) b.1 x <= \sum_(x | S x) n x <= \sum_(x | S x) b.2 x.
Proof. by move=> in_b; apply/andP; split; apply: leq_sum => x _; have /andP[] := in_b x. Qed.

(** Keys and targets of joint cells; people, each in a joint cell. *)
Variables (K I P : finType) (key : X -> K) (target : X -> I).

Definition people_in (joint : P -> X) x := #|[set r | joint r == x]|.
Definition certain (b : (X -> nat) * (X -> nat)) j i :=
  forall x, key x = j -> target x != i -> b.2 x = 0.
Definition of_key n j := \sum_(x | key x == j) n x.
Definition of_both n j i := \sum_(x | (key x == j) && (target x == i)) n x.
Definition elsewhere n j i := \sum_(x | (key x == j) && (target x != i)) n x.

Theorem never_false (joint : P -> X) (b : nat -> (X -> nat) * (X -> nat)) k j i :
  agrees (people_in joint) -> between (b 0) (people_in joint) ->
  (forall k', narrows (b k') (b k'.+1)) -> certain (b k) j i ->
  forall r, key (joint r) = j -> target (joint r) = i.
Proof.
move=> ok start next sure r kj; apply/eqP; apply: contraT => no.
have /andP[_] := published_sound ok start next k (joint r).
by rewrite (sure _ kj no) leqn0 cards_eq0 => /eqP/setP/(_ r); rewrite !inE eqxx.
Qed.

Theorem share_bounds b n j i : between b n ->
  of_both b.1 j i * of_key n j <= of_both n j i * (of_both b.1 j i + elsewhere b.2 j i) /\
  of_both n j i * (of_both b.2 j i + elsewhere b.1 j i) <= of_both b.2 j i * of_key n j.
Proof.
move=> in_b; have -> : of_key n j = of_both n j i + elsewhere n j i.
  by rewrite /of_key (bigID (fun x => target x == i)).
have /andP[l h] : of_both b.1 j i <= of_both n j i <= of_both b.2 j i by apply: between_sums.
have /andP[l' h'] : elsewhere b.1 j i <= elsewhere n j i <= elsewhere b.2 j i.
  exact: between_sums.
by rewrite !mulnDr [_ * of_both n j i]mulnC [of_both b.2 j i * _]mulnC !leq_add2l !leq_mul.
Qed.

(** Multipliers y of upper and y' of lower ends, which show that cells with z > 0 are empty. *)
Definition shows_empty (y y' : T -> C -> nat) (z : X -> nat) :=
  [/\ forall t c, up t c = None -> y t c = 0,
      forall x, \sum_t y' t (cell t x) + z x <= \sum_t y t (cell t x)
    & \sum_t \sum_c y t c * odflt 0 (up t c) <= \sum_t \sum_c y' t c * low t c].

Lemma multiplied (w : T -> C -> nat) n :
  \sum_x (\sum_t w t (cell t x)) * n x = \sum_t \sum_c w t c * held n t c.
Proof.
under eq_bigr do rewrite big_distrl; rewrite exchange_big /=; apply: eq_bigr => t _.
rewrite (partition_big (cell t) predT) //=; apply: eq_bigr => c _; rewrite /held big_distrr /=.
by apply: eq_bigr => x /eqP ->.
Qed.

Theorem certificate y y' z n : shows_empty y y' z -> agrees n -> forall x, 0 < z x -> n x = 0.
Proof.
move=> [none cells total] ok x zx; apply/eqP; rewrite -leqn0 -(leq_pmul2l zx) muln0.
apply: (@leq_trans (\sum_x z x * n x)); first by rewrite (bigD1 x) //= leq_addr.
rewrite -(leq_add2l (\sum_x (\sum_t y' t (cell t x)) * n x)) addn0 -big_split /=.
apply: (@leq_trans (\sum_x (\sum_t y t (cell t x)) * n x)).
  by apply: leq_sum => a _; rewrite -mulnDl leq_mul2r cells orbT.
rewrite !multiplied; apply: (leq_trans _ (leq_trans total _)).
  apply: leq_sum => t _; apply: leq_sum => c _; have [_] := ok t c.
  by case e : (up t c) => [m|] /= u; [rewrite leq_mul2l u orbT | rewrite none].
apply: leq_sum => t _; apply: leq_sum => c _.
by rewrite leq_mul2l; have [-> _] := ok t c; rewrite orbT.
Qed.

(** A table by itself: whatever it does not publish as 0 is possible. *)
Theorem one_table n t x : agrees_with n t -> up t (cell t x) <> Some 0 ->
  exists2 n', agrees_with n' t & 0 < n' x.
Proof.
move=> ok not0; pose h := maxn 1 (held n t (cell t x)).
exists (fun y => if cell t y == cell t x then (y == x) * h else n y); last first.
  by rewrite !eqxx mul1n leq_max.
move=> c; rewrite /held; have [<-|ne] := eqVneq (cell t x) c; last first.
  rewrite (eq_bigr n) => [|y /eqP ->]; [exact: ok | by rewrite eq_sym (negbTE ne)].
rewrite (bigD1 x) //= !eqxx mul1n big1 ?addn0 => [|y /andP[-> /negbTE ->] //].
have [l u] := ok (cell t x); rewrite -/(held n t _) in l u *.
split; first by rewrite leq_max l orbT.
by case: (up t _) not0 u => // -[|m] //= _ u; rewrite geq_max u.
Qed.

Theorem one_more_person n x : agrees n ->
  (forall t, at_most (held n t (cell t x)).+1 (up t (cell t x))) ->
  agrees (fun y => n y + (y == x)).
Proof.
move=> ok room t c; have [l u] := ok t c; rewrite /held big_split /= -/(held n t c).
have [<-|ne] := eqVneq (cell t x) c.
  rewrite (bigD1 x) //= eqxx big1 => [|y /andP[_ /negbTE ->] //].
  by rewrite addn0 addn1; split; [apply: leqW; have [] := ok t (cell t x) | exact: room].
by rewrite big1 ?addn0 // => y /eqP e; case: eqP => // y_x; rewrite -e y_x eqxx in ne.
Qed.

Theorem nobody_certain n b x i : (forall n', agrees n' -> between b n') -> agrees n ->
  (forall t, at_most (held n t (cell t x)).+1 (up t (cell t x))) -> target x != i ->
  ~ certain b (key x) i.
Proof.
move=> sound ok room no sure; have := sound _ (one_more_person ok room) x.
by rewrite (sure x erefl no) eqxx addn1 ltn0 andbF.
Qed.

(** Bounds that no step tightens, and so no sequence of steps. *)
Definition stuck (b : (X -> nat) * (X -> nat)) :=
  forall x t, b.1 x <= b.2 x /\ (leaves b t x (b.1 x) /\ leaves b t x (b.2 x)).

Theorem stuck_for_ever (b0 : (X -> nat) * (X -> nat)) (b : nat -> (X -> nat) * (X -> nat)) :
  T -> stuck b0 -> (forall x, (b 0).1 x <= b0.1 x /\ b0.2 x <= (b 0).2 x) ->
  (forall i, narrows (b i) (b i.+1)) -> forall i x, (b i).1 x <= b0.1 x /\ b0.2 x <= (b i).2 x.
Proof.
move=> t0 fixed start next; elim=> // i IH x.
have wide k t : leaves b0 t x k -> leaves (b i) t x k.
  move=> [l u]; split.
    by apply: leq_trans l _; rewrite leq_add2l rest_of_le // => y; have [] := IH y.
  by apply: at_most_le u; rewrite leq_add2l rest_of_le // => y; have [] := IH y.
have [b0x _] := fixed x t0; have [l h] := IH x.
have /andP[-> _] : (b i.+1).1 x <= b0.1 x <= (b i.+1).2 x.
  apply: next => [|t]; first by rewrite l (leq_trans b0x h).
  by apply: wide; have [_ []] := fixed x t.
have /andP[_ ->] // : (b i.+1).1 x <= b0.2 x <= (b i.+1).2 x.
apply: next => [|t]; first by rewrite h (leq_trans l b0x).
by apply: wide; have [_ []] := fixed x t.
Qed.

End Published.

(** Three questions, each with one yes and one no. Joint cells: yes to one question only;
    the same answer to all. *)
Section Questions.

Let Q := [finType of 'I_3].
Let X := [finType of Q + bool].
Definition says_yes (q : Q) (x : X) := match x with inl q' => q' == q | inr all => all end.
Let one (q : Q) (yes : bool) := 1.
Let just_one (q : Q) (yes : bool) := Some 1.

Let yes_are n q : held says_yes n q true = n (inl q) + n (inr true).
Proof.
rewrite /held big_sumType /=; congr (_ + _).
  by rewrite (eq_bigl (pred1 q)) ?big_pred1_eq // => q'; rewrite eqb_id.
by rewrite (eq_bigl (pred1 true)) ?big_pred1_eq.
Qed.

Let no_are n q : held says_yes n q false = \sum_(q' | q' != q) n (inl q') + n (inr false).
Proof.
rewrite /held big_sumType /=; congr (_ + _); first by apply: eq_bigl => q'; rewrite eqbF_neg.
by rewrite (eq_bigl (pred1 false)) ?big_pred1_eq.
Qed.

Theorem three_questions n : agrees says_yes one just_one n ->
  n (inr true) = 1 /\ forall q, n (inl q) = 0.
Proof.
move=> ok; have yes q : n (inl q) + n (inr true) = 1.
  have [l u] := ok q true; apply/eqP; rewrite -yes_are eqn_leq; apply/andP; split.
    exact: u.
  exact: l.
have [e|ne] := eqVneq (n (inr true)) 0.
  have [_] := ok ord0 false; rewrite no_are /= (eq_bigr (fun=> 1)); last first.
    by move=> q _; have := yes q; rewrite e addn0.
  by rewrite sum1_card cardC1 card_ord.
have one_q q : n (inl q) = 0.
  have := yes q; case: (n (inr true)) ne => // m _.
  by rewrite addnS => -[/eqP]; rewrite addn_eq0 => /andP[/eqP].
by split=> //; have := yes ord0; rewrite one_q.
Qed.

(** No step finds that nobody has one yes. No multipliers do: the doubled counts have
    another table. *)
Theorem no_step_finds_it (b : nat -> (X -> nat) * (X -> nat)) N : 0 < N ->
  b 0 = (fun=> 0, fun=> N) -> (forall i, narrows says_yes one just_one (b i) (b i.+1)) ->
  forall i q, 0 < (b i).2 (inl q).
Proof.
move=> N0 start next i q.
have [] // : (b i).1 (inl q) <= 0 /\ 1 <= (b i).2 (inl q).
apply: (@stuck_for_ever _ _ _ says_yes one just_one (fun=> 0, fun=> 1) b ord0) next i (inl q).
  move=> x t; split=> //.
  have two : 0 < rest_of says_yes (fun=> 1) t x.
    rewrite /rest_of; have [x' /andP[e ne]] :
        exists x', (says_yes t x' == says_yes t x) && (x' != x).
      case: x => [q'|[]]; first by exists (inr (q' == t)); rewrite /= eqxx.
        by exists (inl t); rewrite /= eqxx.
      exists (inl (inord (t == ord0))); rewrite /= andbT.
      by case: t => -[|m] lt /=; rewrite -val_eqE /= inordK.
    by rewrite (bigD1 x') ?e.
  have none : rest_of says_yes (fun=> 0) t x = 0 by rewrite /rest_of big1.
  by rewrite /leaves /= none add0n addn0 leq_addr.
by move=> x; rewrite start.
Qed.

Theorem no_multipliers_find_it y y' z q : shows_empty says_yes one just_one y y' z ->
  z (inl q) = 0.
Proof.
move=> [_ cells total]; apply/eqP; apply: contraT; rewrite -lt0n => zq.
pose two (q : Q) (yes : bool) := 2; pose just_two (q : Q) (yes : bool) := Some 2.
pose n (x : X) := match x with inl _ => 1 | inr all => nat_of_bool all end.
have ok : agrees says_yes two just_two n.
  move=> t [] /=; rewrite /at_most /=; first by rewrite yes_are.
  by rewrite no_are addn0 sum1_card cardC1 card_ord.
have sh : shows_empty says_yes two just_two y y' z.
  split=> //; have twice w : \sum_q' \sum_c w q' c * 2 = 2 * \sum_q' \sum_c w q' c * one q' c.
    rewrite big_distrr; apply: eq_bigr => q' _; rewrite big_distrr; apply: eq_bigr => c _ /=.
    by rewrite muln1 mulnC.
  by rewrite !twice leq_mul2l.
by have := certificate sh ok zq.
Qed.

End Questions.
