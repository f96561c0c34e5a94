(** * Nearest keys and keys within a radius, by looking up sub-keys

    Chapter: theory/attacks.md, statement neighbours.

    In words. Keys are values of L columns; the distance of two keys is the
    number of columns in which they differ. A look-up without a set D of columns
    pairs a key with all keys that agree with it outside D. Let a_k be the number
    of synthetic records of key k with some target (or any numbers).
    - Of the look-ups with d columns left out, binomial(L - c, d - c) pair two
      keys at distance c <= d, none pairs two keys at a greater distance.
    - If no record is nearer than d, the look-ups with d columns left out
      together count each record at distance d once, and no other.
    - For r < L the records within distance r are
      sum over d <= r of (-1)^(r - d) binomial(L - d - 1, L - r - 1)
      times what the look-ups with d columns left out count; for r = L, all.
    - A matched key is the only nearest to itself. A key that agrees with no
      matched key in any column has all of them as nearest; with one column, so
      has every unmatched key.
    - Radius 0 is version 1 and version 2; radius L is the crossed baseline in
      both. If every key of O is matched, the nearest keys give version 1. *)

From Coq Require Import Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import fields counts baselines.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** Coq's lia on the natural numbers of MathComp. *)
Ltac nat_lia :=
  repeat match goal with H : is_true (leq _ _) |- _ => move/ssrnat.leP: H => H end;
  rewrite -?plusE -?minusE; lia.

Lemma columns_left (L r c e : nat) : (e <= r - c -> c <= r -> r < L ->
  [/\ r - (e + c) = r - c - e, L - (e + c) - 1 = L - c - e - 1,
      L - r - 1 <= L - c - e - 1
    & L - c - e - 1 - (L - r - 1) = r - c - e])%N.
Proof.
move=> /ssrnat.leP h1 /ssrnat.leP h2 /ssrnat.leP h3.
rewrite -?plusE -?minusE in h1 h2 h3 *.
by split; try (apply/ssrnat.leP); lia.
Qed.

Section Binomials.

Variable R : realFieldType.

Lemma bin_of_bin N m e : (e <= m)%N -> (m <= N)%N ->
  ('C(N - e, m - e) * 'C(N, e) = 'C(N, m) * 'C(m, e))%N.
Proof.
move=> em mN; have eN := leq_trans em mN.
apply/eqP; rewrite -(eqn_pmul2r (fact_gt0 e)) -(eqn_pmul2r (fact_gt0 (m - e))).
rewrite -(eqn_pmul2r (fact_gt0 (N - m))); apply/eqP.
have f1 : ('C(N - e, m - e) * ((m - e)`! * (N - m)`!) = (N - e)`!)%N.
  by rewrite -[in RHS](@bin_fact _ (m - e)) ?leq_sub2r // subnBA // subnK.
transitivity N`!.
  rewrite -[RHS](bin_fact eN) -f1 -!mulnA.
  by rewrite (mulnCA 'C(N - e, m - e) 'C(N, e)) (mulnCA 'C(N - e, m - e) e`!).
by rewrite -[LHS](bin_fact mN) -(bin_fact em) !mulnA.
Qed.

(** The alternating sum of a row. *)
Lemma alternating m : \sum_(e < m.+1) (-1) ^+ (m - e) * 'C(m, e)%:R = (m == 0%N)%:R :> R.
Proof.
have := exprDn (-1 : R) 1 m; rewrite addNr expr0n => ->.
by apply: eq_bigr => e _; rewrite expr1n mulr1 mulr_natr.
Qed.

(** What a key at distance c counts, with G = L - c and m = r - c. *)
Lemma signed_row m : forall G, (m < G)%N ->
  \sum_(e < m.+1) (-1) ^+ (m - e) * 'C(G - e - 1, m - e)%:R * 'C(G, e)%:R = 1 :> R.
Proof.
elim: m => [|m IH] [|G] // mG.
  by rewrite big_ord_recl big_ord0 addr0 subn0 expr0 !bin0 !mulr1.
have pas e : 'C(G.+1, e)%:R = 'C(G, e)%:R + (if e is e'.+1 then 'C(G, e') else 0)%:R :> R.
  by case: e => [|e]; rewrite ?bin0 ?addr0 // binS natrD addrC.
under eq_bigr do rewrite pas mulrDr.
rewrite big_split /= [X in X + _](_ : _ = 0) ?add0r.
  by rewrite big_ord_recl /= mulr0 add0r -[RHS](IH G) //.
rewrite (eq_bigr (fun e : 'I_m.+2 => 'C(G, m.+1)%:R * ((-1) ^+ (m.+1 - e) * 'C(m.+1, e)%:R))).
  by rewrite -mulr_sumr alternating mulr0.
move=> e _; have em : (e <= m.+1)%N by rewrite -ltnS.
rewrite -mulrA -natrM.
have -> : (G.+1 - e - 1 = G - e)%N by nat_lia.
by rewrite bin_of_bin // natrM mulrCA.
Qed.

End Binomials.

Section Keys.

Variables (R : realFieldType) (V : finType) (L : nat).

Definition key := {ffun 'I_L -> V}.
Implicit Types (j k : key) (D : {set 'I_L}) (a : key -> R).

Definition differ j k := [set c | j c != k c].
Definition distance j k := #|differ j k|.

(** The keys that agree outside D. *)
Definition paired D j k := [forall c, (c \notin D) ==> (j c == k c)].
Definition lookup a D j := \sum_(k | paired D j k) a k.

Theorem pairedE D j k : paired D j k = (differ j k \subset D).
Proof.
apply/forallP/subsetP => [h c|h c].
  by rewrite inE; apply: contraNT => nD; have := h c; rewrite nD.
by apply/implyP => nD; apply: contraNT nD => ne; apply: h; rewrite inE.
Qed.

Lemma distance_le j k : (distance j k <= L)%N.
Proof. by rewrite -[leqRHS](card_ord L) max_card. Qed.

(** Part 1. *)
Theorem lookup_pairs j k d :
  #|[set D : {set 'I_L} | (#|D| == d) && paired D j k]|
    = (if distance j k <= d then 'C(L - distance j k, d - distance j k) else 0)%N.
Proof.
set A := differ j k; case: leqP => [le|gt]; last first.
  apply/eqP; rewrite cards_eq0; apply/eqP/setP => D; rewrite !inE pairedE.
  apply/negbTE; apply/negP => /andP[/eqP cD /subset_leq_card].
  by rewrite cD leqNgt gt.
have -> : (L - distance j k = #|~: A|)%N.
  by rewrite -[X in (X - _)%N](card_ord L) -(cardsC A) addKn.
rewrite -cards_draws.
rewrite -[RHS](card_in_imset (f := fun B : {set 'I_L} => B :|: A)); last first.
  move=> B B'; rewrite !inE => /andP[sB _] /andP[sB' _] e.
  have back (C : {set 'I_L}) : C \subset ~: A -> (C :|: A) :\: A = C.
    move=> sC; rewrite setDUl setDv setU0; apply/setDidPl.
    by rewrite disjoints_subset.
  by rewrite -(back B) // -(back B') // e.
apply: eq_card => D; rewrite inE pairedE; apply/andP/imsetP => [[/eqP cD sD]|[B]].
  exists (D :\: A); last by rewrite -{1}(setID D A) (setIidPr sD) setUC.
  by rewrite inE subDset setUCr subsetT /= cardsD (setIidPr sD) cD.
rewrite inE => /andP[sB /eqP cB] ->; split; last exact: subsetUr.
have dis : B :&: A = set0 by apply/disjoint_setI0; rewrite disjoints_subset.
by rewrite cardsU dis cards0 subn0 cB subnK.
Qed.

(** Look-ups of one size together, by keys. *)
Lemma lookups_by_key a j d :
  \sum_(D : {set 'I_L} | #|D| == d) lookup a D j
    = \sum_k a k * #|[set D : {set 'I_L} | (#|D| == d) && paired D j k]|%:R.
Proof.
transitivity (\sum_(D : {set 'I_L} | #|D| == d) \sum_k if paired D j k then a k else 0).
  by apply: eq_bigr => D _; rewrite /lookup big_mkcond.
rewrite exchange_big /=; apply: eq_bigr => k _.
rewrite -sum1dep_card natr_sum mulr_sumr big_mkcondr /=.
by apply: eq_bigr => D _; case: (paired D j k); rewrite ?mulr1.
Qed.

(** Part 2: d is the least distance of a record. *)
Theorem nearest_by_lookups a j d : (forall k, (distance j k < d)%N -> a k = 0) ->
  \sum_(k | distance j k == d) a k = \sum_(D : {set 'I_L} | #|D| == d) lookup a D j.
Proof.
move=> none; rewrite lookups_by_key big_mkcond /=; apply: eq_bigr => k _.
rewrite lookup_pairs; case: ltngtP => [lt|gt|->].
- by rewrite none // mul0r.
- by rewrite mulr0.
- by rewrite subnn bin0 mulr1.
Qed.

(** Part 3. *)
Theorem radius_by_lookups a j r : (r < L)%N ->
  \sum_(k | (distance j k <= r)%N) a k
    = \sum_(d < r.+1) (-1) ^+ (r - d) * 'C(L - d - 1, L - r - 1)%:R
        * (\sum_(D : {set 'I_L} | #|D| == d) lookup a D j).
Proof.
move=> rL; transitivity (\sum_k \sum_(d < r.+1)
    (-1) ^+ (r - d) * 'C(L - d - 1, L - r - 1)%:R
    * (a k * #|[set D : {set 'I_L} | (#|D| == d) && paired D j k]|%:R)); last first.
  rewrite exchange_big; apply: eq_bigr => d _.
  by rewrite lookups_by_key mulr_sumr.
rewrite big_mkcond /=; apply: eq_bigr => k _.
set c := distance j k.
transitivity (a k * \sum_(d < r.+1) (-1) ^+ (r - d) * 'C(L - d - 1, L - r - 1)%:R
    * (if (c <= d)%N then 'C(L - c, d - c) else 0%N)%:R); last first.
  rewrite mulr_sumr; apply: eq_bigr => d _; rewrite lookup_pairs -/c.
  by rewrite mulrCA.
case: (leqP c r) => [cr|rc]; last first.
  rewrite big1 ?mulr0 // => d _; rewrite leqNgt (leq_ltn_trans _ rc) ?mulr0 //.
  by rewrite -ltnS.
rewrite -[LHS]mulr1; congr (_ * _).
rewrite -(big_mkord xpredT (fun d => (-1) ^+ (r - d) * 'C(L - d - 1, L - r - 1)%:R
    * (if (c <= d)%N then 'C(L - c, d - c) else 0%N)%:R)).
rewrite (big_cat_nat _ (n := c)) //=; last exact: leqW.
rewrite big_nat_cond big1 ?add0r => [|d /andP[/andP[_ dc] _]]; last first.
  by rewrite leqNgt dc mulr0.
rewrite -{1}[c]add0n big_addn subSn // big_mkord -[LHS](@signed_row R (r - c) (L - c)); last first.
  by rewrite ltn_sub2r // (leq_ltn_trans cr rL).
apply: eq_bigr => e _; rewrite leq_addl addnK.
have er : (e <= r - c)%N by rewrite -ltnS.
have [-> -> le eq] := columns_left er cr rL.
by have -> : ('C(L - c - e - 1, L - r - 1) = 'C(L - c - e - 1, r - c - e))%N
  by rewrite -(bin_sub le) eq.
Qed.

(** Part 3 for r = L: all records are within the radius. *)
Theorem radius_of_all_columns a j : \sum_(k | (distance j k <= L)%N) a k = \sum_k a k.
Proof. by apply: eq_bigl => k; rewrite distance_le. Qed.

Lemma distance0 j k : (distance j k == 0%N) = (j == k).
Proof.
rewrite cards_eq0; apply/eqP/eqP => [e|->]; last by apply/setP => c; rewrite !inE eqxx.
by apply/ffunP => c; apply/eqP; have /setP/(_ c) := e; rewrite !inE => /negbFE.
Qed.

End Keys.

(** The records of the keys H j that key j looks up. *)
Definition pooled (R : realFieldType) (T K : finType) (H : K -> {set K})
  (s : table R T K) : table R T K := fun i j => \sum_(k in H j) s i k.

(** The nearest matched keys, and those within a radius, in place of the key. *)
Section Caps.

Variables (R : realFieldType) (T V : finType) (L : nat).
Let K := [finType of key V L].
Implicit Types (o s : table R T K) (j k : K).

Definition nearest s j := [set k | matched s k
  && [forall k', matched s k' ==> (distance j k <= distance j k')%N]].
Definition within s r j := [set k | matched s k && (distance j k <= r)%N].

Lemma pooled_ge0 H s : nonneg s -> nonneg (pooled H s).
Proof. by move=> s0 i j; apply: sumr_ge0. Qed.

(** What the look-ups give: sums over distances, as unmatched keys have no records. *)
Lemma pooled_within s r i j : nonneg s ->
  pooled (within s r) s i j = \sum_(k | (distance j k <= r)%N) s i k.
Proof.
move=> s0; rewrite [RHS](bigID (matched s)) /= [X in _ = _ + X]big1 ?addr0; last first.
  by move=> k /andP[_ nm]; exact: unmatched_cell.
by apply: eq_bigl => k; rewrite inE andbC.
Qed.

Lemma pooled_nearest s d i j : nonneg s -> (forall k, matched s k -> d <= distance j k)%N ->
  (exists2 k, matched s k & distance j k = d) ->
  pooled (nearest s) s i j = \sum_(k | distance j k == d) s i k.
Proof.
move=> s0 le [k0 mk0 dk0]; rewrite [RHS](bigID (matched s)) /= [X in _ = _ + X]big1 ?addr0.
  apply: eq_bigl => k; rewrite inE andbC; case mk: (matched s k); rewrite ?andbF // !andbT.
  apply/forallP/eqP => [/(_ k0)|-> k']; last by apply/implyP => /le.
  by rewrite mk0 dk0 /= => kd; apply/eqP; rewrite eqn_leq kd le.
by move=> k /andP[_ nm]; exact: unmatched_cell.
Qed.

Lemma same_cells o s s' : nonneg s -> s =2 s' ->
  cap o s = cap o s' /\ cap_matched o s = cap_matched o s'.
Proof.
move=> s0 e; have [|i j|//] := @counts.cap_of_shares _ _ _ o s s' s0.
  by move=> i j; rewrite -e.
by rewrite /share e; congr (_ / _); apply: eq_bigr => i' _.
Qed.

(** A matched key is its own nearest; a key that agrees with no matched key in any
    column has all of them. *)
Theorem nearest_matched s j : matched s j -> nearest s j = [set j].
Proof.
move=> mj; apply/setP => k; rewrite !inE; apply/andP/eqP => [[_ /forallP/(_ j)]|->].
  have /eqP -> : distance j j == 0%N by rewrite distance0.
  by rewrite mj leqn0 distance0 => /eqP.
split=> //; apply/forallP => k'; apply/implyP => _.
by have /eqP -> : distance j j == 0%N by rewrite distance0.
Qed.

Theorem nearest_all s j : (forall k c, matched s k -> j c != k c) ->
  nearest s j = [set k | matched s k].
Proof.
move=> none; apply/setP => k; rewrite !inE; case mk: (matched s k) => //=.
apply/forallP => k'; apply/implyP => mk'; rewrite (leq_trans (distance_le j k)) //.
rewrite -{1}(card_ord L) -cardsT; apply/subset_leq_card/subsetP => c _.
by rewrite inE none.
Qed.

(** Part 4: radius 0 is version 1 and 2. *)
Theorem radius_0 o s : nonneg s ->
  cap o (pooled (within s 0) s) = cap o s /\
  cap_matched o (pooled (within s 0) s) = cap_matched o s.
Proof.
move=> s0; apply: same_cells => [|i j]; first exact: pooled_ge0.
by rewrite pooled_within // (big_pred1 j) // => k; rewrite leqn0 distance0 eq_sym.
Qed.

(** Radius L is the crossed baseline. *)
Theorem radius_L o s : nonneg o -> 0 < total o -> nonneg s -> 0 < total s ->
  cap o (pooled (within s L) s) = crossed_baseline o s /\
  cap_matched o (pooled (within s L) s) = crossed_baseline o s.
Proof.
move=> o0 n0 s0 m0; pose all : table R T K := fun i _ => target_total s i.
have e : pooled (within s L) s =2 all.
  by move=> i j; rewrite pooled_within // radius_of_all_columns.
have [-> ->] := same_cells o (pooled_ge0 (within s L) s0) e.
have all_total j : key_total all j = total s by rewrite total_targets.
have all_matched j : matched all j by rewrite /matched all_total.
have -> : cap_matched o all = cap o all.
  by rewrite /cap_matched /matched_total (eq_bigl xpredT).
suff -> : cap o all = crossed_baseline o s by [].
rewrite /cap /correct (eq_bigl xpredT) // exchange_big mulr_suml; apply: eq_bigr => i _.
rewrite (eq_bigr (fun j => o i j * margin s i)) => [|j _]; last by rewrite /share all_total.
by rewrite -mulr_suml mulrAC.
Qed.

(** If every key of O is matched, the nearest keys are version 1. *)
Theorem nearest_is_version_1 o s : nonneg o -> nonneg s ->
  (forall j, 0 < key_total o j -> matched s j) ->
  cap o (pooled (nearest s) s) = cap o s.
Proof.
move=> o0 s0 all; rewrite /cap !correct_all //; last exact: pooled_ge0.
congr (_ / _); apply: eq_bigr => j _; apply: eq_bigr => i _.
have [mj|nm] := boolP (matched s j).
  have e i' : pooled (nearest s) s i' j = s i' j by rewrite /pooled nearest_matched // big_set1.
  by rewrite /share e; congr (_ * (_ / _)); apply: eq_bigr => i' _.
suff -> : o i j = 0 by rewrite !mul0r.
by apply: (unmatched_cell i o0); apply: contraNN nm => /all.
Qed.

(** Part 5: with one key column an unmatched key has all matched keys. *)
Theorem nearest_of_one_column s j : L = 1%N -> ~~ matched s j ->
  nearest s j = [set k | matched s k].
Proof.
move=> L1 nm; apply: nearest_all => k c mk; apply: contraNneq nm => e.
suff -> : j = k by [].
apply/ffunP => c'; suff -> : c' = c by [].
by apply/val_inj; move: c c' {e}; rewrite L1 => c c'; rewrite !ord1.
Qed.

(** Parts 2 and 3 for the counts of a table. *)
Theorem nearest_of_lookups s d i j : nonneg s -> (forall k, matched s k -> d <= distance j k)%N ->
  (exists2 k, matched s k & distance j k = d) ->
  pooled (nearest s) s i j = \sum_(D : {set 'I_L} | #|D| == d) lookup (s i) D j.
Proof.
move=> s0 le ex; rewrite (pooled_nearest i s0 le ex); apply: nearest_by_lookups => k lt.
by apply: unmatched_cell => //; apply: contraTN lt => /le; rewrite -leqNgt.
Qed.

Theorem radius_of_lookups s r i j : nonneg s -> (r < L)%N ->
  pooled (within s r) s i j
    = \sum_(d < r.+1) (-1) ^+ (r - d) * 'C(L - d - 1, L - r - 1)%:R
        * (\sum_(D : {set 'I_L} | #|D| == d) lookup (s i) D j).
Proof. by move=> s0 rL; rewrite pooled_within // radius_by_lookups. Qed.

End Caps.
