(** * Swapping moves average CAP in equal steps to the baseline

    Chapter: theory/perturbation.md, statement swap.

    In words. Of n >= 2 records a set of h >= 1 is chosen, all sets equally
    likely, and the targets within it are permuted, all permutations equally
    likely; keys are kept.
    - A record keeps its own target with probability 1 - (h - 1) / n, and gets
      that of a given other record with probability (h - 1) / (n (n - 1)).
    - So expected average CAP is CAP(O) - (h - 1) / (n - 1) (CAP(O) - b), with
      the marginal baseline b. *)

From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From capstats Require Import fields counts attainable baselines perturbation.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Choices.

Variables (P : finType) (h : nat).
Hypotheses (h1 : (0 < h)%N) (hn : (h <= #|P|)%N).

(** A set of h records, and a permutation that moves no other. *)
Definition choices := [set z : {set P} * {perm P} | (#|z.1| == h) && perm_on z.1 z.2].
Definition sending r s := [set z in choices | z.2 r == s].

Definition renamed (t : {perm P}) (z : {set P} * {perm P}) := (t @: z.1, (z.2 ^ t)%g).

Lemma renamed_inj t : injective (renamed t).
Proof.
move=> [H s] [H' s'] [eH es]; congr (_, _); last exact: (@conjg_inj _ t _ _ es).
by apply: (imset_inj (@perm_inj _ t)).
Qed.

Lemma sending_le (t : {perm P}) r s : (#|sending r s| <= #|sending (t r) (t s)|)%N.
Proof.
rewrite -[leqLHS](card_imset (mem (sending r s)) (@renamed_inj t)); apply: subset_leq_card.
apply/subsetP => _ /imsetP[[H u] uin ->].
move: uin; rewrite !inE /= => /andP[/andP[/eqP cH /subsetP pu] /eqP us].
rewrite /renamed /= card_imset; last exact: perm_inj.
rewrite cH permJ us !eqxx andbT /=; apply/subsetP => x; rewrite !inE.
rewrite -{1 2}(permKV t x) permJ (inj_eq perm_inj) => ne.
by rewrite -(permKV t x) mem_imset ?pu //; exact: perm_inj.
Qed.

Lemma sending_same (t : {perm P}) r s : #|sending (t r) (t s)| = #|sending r s|.
Proof.
apply/eqP; rewrite eqn_leq sending_le andbT.
by have := sending_le (t^-1)%g (t r) (t s); rewrite !permK.
Qed.

Lemma sending_self r r' : #|sending r r| = #|sending r' r'|.
Proof. by rewrite -(sending_same (tperm r r') r r) tpermL. Qed.

Lemma sending_other r s r' s' : r != s -> r' != s' ->
  #|sending r s| = #|sending r' s'|.
Proof.
move=> ne ne'; pose u := tperm r r' s.
have ur : r' != u by rewrite /u -{1}(tpermL r r') (inj_eq perm_inj).
rewrite -(sending_same (tperm r r' * tperm u s')%g r s) !permM tpermL -/u tpermL.
by rewrite tpermD // eq_sym.
Qed.

Lemma sending_all r : (\sum_s #|sending r s| = #|choices|)%N.
Proof.
rewrite -[RHS]sum1_card [RHS](partition_big (fun z : {set P} * {perm P} => z.2 r) xpredT) //=.
by apply: eq_bigr => s _; rewrite -sum1_card; apply: eq_bigl => z; rewrite !inE.
Qed.

Lemma choices_card : #|choices| = (#|[set H : {set P} | #|H| == h]| * h`!)%N.
Proof.
rewrite -[LHS]sum1_card (partition_big (fun z : {set P} * {perm P} => z.1) (fun H : {set P} => #|H| == h)) /=; last first.
  by move=> z; rewrite inE => /andP[].
rewrite (eq_bigr (fun=> h`!)) => [|H /eqP cH].
  rewrite big_const iter_addn_0 mulnC; congr (_ * _)%N.
  by apply: eq_card => H; rewrite inE.
rewrite -cH -card_perm -sum1_card (reindex (fun s => (H, s))) /=.
  by apply: eq_bigl => s; rewrite !inE /= cH !eqxx andbT.
by exists snd => [s //|[H' s]]; rewrite !inE /= => /andP[_ /eqP ->].
Qed.

Lemma fixing_card (H : {set P}) r : #|H| = h ->
  #|[set s : {perm P} | perm_on H s && (s r == r)]| = (if r \in H then h.-1`! else h`!)%N.
Proof.
move=> cH; case: (boolP (r \in H)) => rH.
  have -> : h.-1 = #|H :\ r| by rewrite -cH (cardsD1 r H) rH.
  rewrite -card_perm -sum1_card -[RHS]sum1_card; apply: eq_bigl => s; rewrite inE.
  apply/andP/subsetP => [[/subsetP ps /eqP sr] x|ps].
    rewrite !inE => ne; rewrite (ps x) ?inE // andbT.
    by apply: contraNneq ne => ->; rewrite sr.
  split; first by apply/subsetP => x /ps; rewrite !inE => /andP[].
  by apply: contraT => ne; have := ps r; rewrite !inE eqxx; apply.
rewrite -cH -card_perm -sum1_card -[RHS]sum1_card; apply: eq_bigl => s; rewrite inE.
apply/andP/idP => [[] //|ps]; split=> //.
by apply/eqP; exact: (out_perm ps).
Qed.

Lemma sending_diagonal r : (#|P| * #|sending r r| = #|choices| * (#|P| - h + 1))%N.
Proof.
have -> : (#|P| * #|sending r r| = \sum_r' #|sending r' r'|)%N.
  rewrite (eq_bigr (fun=> #|sending r r|)) => [|r' _]; last exact: sending_self.
  by rewrite sum_nat_const.
have by_set r' : #|sending r' r'|
    = (\sum_(H : {set P} | #|H| == h) if r' \in H then h.-1`! else h`!)%N.
  rewrite -[LHS]sum1_card (partition_big (fun z : {set P} * {perm P} => z.1) (fun H : {set P} => #|H| == h)) /=; last first.
    by move=> z; rewrite !inE => /andP[/andP[]].
  apply: eq_bigr => H /eqP cH; rewrite -(fixing_card r' cH) -sum1_card.
  rewrite (reindex (fun s => (H, s))) /=.
    by apply: eq_bigl => s; rewrite !inE /= cH !eqxx andbT.
  by exists snd => [s //|[H' s]]; rewrite !inE /= => /andP[_ /eqP ->].
rewrite (eq_bigr _ (fun r' _ => by_set r')) exchange_big /= choices_card -mulnA.
rewrite (eq_bigr (fun=> h`! * (#|P| - h + 1))%N) => [|H /eqP cH].
  rewrite big_const iter_addn_0 mulnC; congr (_ * _)%N.
  by apply: eq_card => H; rewrite inE.
rewrite (bigID (mem H)) /= (eq_bigr (fun=> h.-1`!)) => [|r' -> //].
rewrite [X in (_ + X)%N](eq_bigr (fun=> h`!)) => [|r' /negbTE -> //].
rewrite !big_const !iter_addn_0 cH.
have -> : #|[pred r' | r' \notin H]| = (#|P| - h)%N.
  rewrite -cH -(cardsC H) addKn; apply: eq_card => x; by rewrite !inE.
have hf : (h`! = h.-1`! * h)%N by rewrite -{1}(prednK h1) factS prednK // mulnC.
rewrite mulnDr muln1 addnC; congr (_ + _)%N.
by rewrite hf; congr (_ * _)%N; rewrite -cH; apply: eq_card => x; rewrite !inE.
Qed.

End Choices.

Section Swap.

Variables (R : realFieldType) (T K P : finType) (target : P -> T) (key : P -> K) (h : nat).
Hypotheses (h1 : (0 < h)%N) (hn : (h <= #|P|)%N) (P2 : (1 < #|P|)%N).
Add Field R_field : (field_laws R).

Let o := count R target key.
Let Z := choices P h.
Let n : R := #|P|%:R.

Let n_gt0 : 0 < n. Proof. by rewrite ltr0n ltnW. Qed.
Let n1_gt0 : 0 < n - 1. Proof. by rewrite subr_gt0 ltr1n. Qed.

Definition swap_law (z : {set P} * {perm P}) : R := if z \in Z then #|Z|%:R^-1 else 0.
Definition swap_table (z : {set P} * {perm P}) : table R T K :=
  count R (fun r => target (z.2 r)) key.

Let Z_gt0 : 0 < #|Z|%:R :> R.
Proof.
rewrite ltr0n card_gt0; apply/set0Pn.
have [s us sn] : exists2 s : seq P, uniq s & size s = h.
  by exists (take h (enum P)); rewrite ?take_uniq ?enum_uniq // size_takel // -cardE.
exists ([set x in s], 1%g); rewrite inE /= cardsE (card_uniqP us) sn eqxx /=.
exact: perm_on1.
Qed.

Lemma swap_law_ge0 z : 0 <= swap_law z.
Proof. by rewrite /swap_law; case: ifP => // _; rewrite invr_ge0 ler0n. Qed.

Lemma swap_sum (f : {set P} * {perm P} -> bool) :
  \sum_z swap_law z * (f z)%:R = #|[set z in Z | f z]|%:R / #|Z|%:R.
Proof.
rewrite -sum1dep_card natr_sum mulr_suml [RHS]big_mkcond /=; apply: eq_bigr => z _.
by rewrite /swap_law; case: (z \in Z) => /=; case: (f z); rewrite ?mulr1 ?mul1r ?mulr0 ?mul0r.
Qed.

Lemma swap_law_sum : \sum_z swap_law z = 1.
Proof.
rewrite (eq_bigr (fun z => swap_law z * true%:R)) => [|z _]; last by rewrite mulr1.
rewrite (swap_sum (fun=> true)) (_ : [set z in Z | true] = Z) ?divff ?gt_eqF //.
by apply/setP => z; rewrite inE andbT.
Qed.

(** The probability that record r gets the target of record s. *)
Theorem swap_probability r s : \sum_z swap_law z * (z.2 r == s)%:R
  = if r == s then 1 - (h%:R - 1) / n else (h%:R - 1) / (n * (n - 1)).
Proof.
rewrite (swap_sum (fun z => z.2 r == s)) -/(sending h r s).
have self (r' : P) : #|sending h r' r'|%:R / #|Z|%:R = 1 - (h%:R - 1) / n :> R.
  have := congr1 (fun m : nat => m%:R : R) (sending_diagonal h1 r').
  rewrite /= !natrM natrD natrB // -/n -/Z => e.
  apply: (mulfI (lt0r_neq0 n_gt0)); apply: (mulIf (lt0r_neq0 Z_gt0)).
  rewrite mulrA divfK ?gt_eqF // e.
  rewrite [RHS]mulrC; congr (_ * _); mc_field R; apply/eqP; rewrite gt_eqF //.
have [->|ne] := eqVneq r s; first exact: self.
have := congr1 (fun m : nat => m%:R : R) (sending_all h r).
rewrite /= (bigD1 r) //= natrD natr_sum.
rewrite (eq_bigr (fun=> #|sending h r s|%:R)) => [|s' ne']; last first.
  by congr (_%:R); apply: sending_other => //; rewrite eq_sym.
rewrite sumr_const -/Z -[X in _ + X = _]mulr_natr.
have -> : #|[pred s' | s' != r]|%:R = n - 1 :> R.
  rewrite /n -(cardC (pred1 r)) card1 natrD addrAC subrr add0r.
  by congr (_%:R); apply: eq_card => x; rewrite !inE.
move=> e; have := self r.
have -> : #|sending h r r|%:R = #|Z|%:R - #|sending h r s|%:R * (n - 1) :> R.
  by rewrite -e addrK.
move=> e'; apply: (mulIf (lt0r_neq0 n1_gt0)).
have -> : #|sending h r s|%:R / #|Z|%:R * (n - 1)
    = 1 - (#|Z|%:R - #|sending h r s|%:R * (n - 1)) / #|Z|%:R :> R.
  by mc_field R; apply/eqP; rewrite gt_eqF.
by rewrite e'; mc_field R; split; apply/eqP; rewrite gt_eqF.
Qed.

Let a : R := 1 - (h%:R - 1) / (n - 1).
Let b : R := (h%:R - 1) / (n * (n - 1)).

Lemma swap_mean_table i j :
  mean_table swap_law swap_table i j = a * o i j + b * (key_total o j * target_total o i).
Proof.
have prob r s : \sum_z swap_law z * (z.2 r == s)%:R = a * (r == s)%:R + b.
  rewrite swap_probability /a /b; case: (r == s).
    by mc_field R; split; apply/eqP; rewrite gt_eqF.
  by rewrite mulr0 add0r.
have got r : \sum_z swap_law z * (target (z.2 r) == i)%:R
    = a * (target r == i)%:R + b * target_total o i.
  transitivity (\sum_s (target s == i)%:R * (a * (r == s)%:R + b)).
    transitivity (\sum_z \sum_s swap_law z * ((z.2 r == s)%:R * (target s == i)%:R)).
      apply: eq_bigr => z _; rewrite -mulr_sumr (bigD1 (z.2 r)) //= eqxx mul1r.
      by rewrite [X in _ + X]big1 ?addr0 // => s; rewrite eq_sym => /negbTE ->; rewrite mul0r.
    rewrite exchange_big; apply: eq_bigr => s _ /=; rewrite -prob mulr_sumr.
    by apply: eq_bigr => z _; rewrite [LHS]mulrA [LHS]mulrC.
  under eq_bigr do rewrite mulrDr.
  rewrite big_split /=; congr (_ + _).
    rewrite (bigD1 r) //= eqxx mulr1 mulrC [X in _ + X]big1 ?addr0 // => s.
    by rewrite eq_sym => /negbTE ->; rewrite !mulr0.
  rewrite -mulr_suml mulrC; congr (_ * _).
  rewrite (sum_people target key (fun i' _ => (i' == i)%:R)) /target_total.
  apply: eq_bigr => j' _; rewrite (bigD1 i) //= eqxx mulr1 [X in _ + X]big1 ?addr0 //.
  by move=> i' /negbTE ->; rewrite mulr0.
rewrite /mean_table /swap_table.
transitivity (\sum_(r | key r == j) (a * (target r == i)%:R + b * target_total o i)).
  rewrite (eq_bigr (fun z => \sum_(r | key r == j) swap_law z * (target (z.2 r) == i)%:R)).
    by rewrite exchange_big /=; apply: eq_bigr => r _; exact: got.
  by move=> z _; rewrite count_sum mulr_sumr.
rewrite big_split /= -mulr_sumr -count_sum -/o; congr (_ + _).
rewrite sumr_const -[LHS]mulr_natl mulrCA /o key_total_count cardsE.
by congr (_ * (_ * _)).
Qed.

Theorem swap_expected_cap :
  \sum_z swap_law z * cap o (swap_table z)
    = cap o o - (h%:R - 1) / (n - 1) * (cap o o - marginal_baseline o).
Proof.
have o0 : nonneg o by exact: count_ge0.
have tot : total o = n by rewrite /o total_count.
have n0 : 0 < total o by rewrite tot.
have S0 z : nonneg (swap_table z) by exact: count_ge0.
have kept z j : key_total (swap_table z) j = key_total o j.
  by rewrite /swap_table /o !key_total_count.
rewrite (kept_keys_expected_cap swap_law_ge0 swap_law_sum S0 n0 kept).
rewrite {1}/cap correct_all; last exact: (mean_table_nonneg swap_law_ge0 S0).
have cell i j : o i j * share (mean_table swap_law swap_table) i j
    = a * (o i j * share o i j) + b * (o i j * target_total o i).
  rewrite /share (mean_table_key_total swap_law_sum kept) swap_mean_table.
  have [mj|nj] := boolP (matched o j).
    by mc_field R; apply/eqP; rewrite gt_eqF.
  by rewrite (unmatched_cell i o0 nj) !mul0r !mulr0 addr0.
under eq_bigr do under eq_bigr do rewrite cell.
under eq_bigr do rewrite big_split /= -!mulr_sumr.
rewrite big_split /= -!mulr_sumr -correct_all //.
have -> : \sum_j \sum_i o i j * target_total o i = n ^+ 2 * marginal_baseline o.
  rewrite exchange_big /marginal_baseline mulr_sumr; apply: eq_bigr => i _ /=.
  rewrite -mulr_suml -/(target_total o i) /margin tot.
  by mc_field R; apply/eqP; rewrite gt_eqF.
rewrite /cap tot /a /b.
by mc_field R; split; apply/eqP; rewrite gt_eqF.
Qed.

End Swap.
