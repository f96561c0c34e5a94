(** * Numbers of small tables

    Chapter: theory/cap.md, statement average-cap, and theory/baselines.md,
    statement baselines.

    In words. Average CAP in versions 1 and 2, CAP of the original and the
    marginal baseline of tables that are written down, over the rational numbers.
    Each equals the fraction that a loop over records gives. Written by
    examples.py. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import counts baselines numbers.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Local Notation table I J columns := (@written [realFieldType of rat] I J columns).

(** Version 1: the hundred people of the course. *)
Example example_1 :
  cap (table 2 2 [:: [:: 20; 30]; [:: 5; 45]]%N)
      (table 2 2 [:: [:: 8; 25]; [:: 7; 60]]%N)
  = 6049%:R / 8844%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Version 2: the hundred people of the course. *)
Example example_2 :
  cap_matched (table 2 2 [:: [:: 20; 30]; [:: 5; 45]]%N)
      (table 2 2 [:: [:: 8; 25]; [:: 7; 60]]%N)
  = 6049%:R / 8844%:R.
Proof. by apply: cap_matched_is; vm_compute. Qed.

(** Version 1: one of two keys is unmatched. *)
Example example_3 :
  cap (table 2 2 [:: [:: 2; 1]; [:: 1; 3]]%N)
      (table 2 2 [:: [:: 1; 1]; [:: 0; 0]]%N)
  = 3%:R / 14%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Version 2: one of two keys is unmatched. *)
Example example_4 :
  cap_matched (table 2 2 [:: [:: 2; 1]; [:: 1; 3]]%N)
      (table 2 2 [:: [:: 1; 1]; [:: 0; 0]]%N)
  = 1%:R / 2%:R.
Proof. by apply: cap_matched_is; vm_compute. Qed.

(** Version 1: three targets. *)
Example example_5 :
  cap (table 3 2 [:: [:: 3; 1; 0]; [:: 0; 2; 4]]%N)
      (table 3 2 [:: [:: 1; 1; 0]; [:: 1; 0; 2]]%N)
  = 7%:R / 15%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Version 2: three targets. *)
Example example_6 :
  cap_matched (table 3 2 [:: [:: 3; 1; 0]; [:: 0; 2; 4]]%N)
      (table 3 2 [:: [:: 1; 1; 0]; [:: 1; 0; 2]]%N)
  = 7%:R / 15%:R.
Proof. by apply: cap_matched_is; vm_compute. Qed.

(** Version 1: no key is matched. *)
Example example_7 :
  cap (table 2 2 [:: [:: 2; 1]; [:: 0; 0]]%N)
      (table 2 2 [:: [:: 0; 0]; [:: 1; 3]]%N)
  = 0%:R / 1%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Version 1: a key that the original lacks. *)
Example example_8 :
  cap (table 2 3 [:: [:: 4; 2]; [:: 0; 0]; [:: 1; 3]]%N)
      (table 2 3 [:: [:: 1; 1]; [:: 2; 0]; [:: 2; 1]]%N)
  = 7%:R / 15%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Version 2: a key that the original lacks. *)
Example example_9 :
  cap_matched (table 2 3 [:: [:: 4; 2]; [:: 0; 0]; [:: 1; 3]]%N)
      (table 2 3 [:: [:: 1; 1]; [:: 2; 0]; [:: 2; 1]]%N)
  = 7%:R / 15%:R.
Proof. by apply: cap_matched_is; vm_compute. Qed.

(** Version 1: a unique record. *)
Example example_10 :
  cap (table 2 2 [:: [:: 0; 1]; [:: 5; 5]]%N)
      (table 2 2 [:: [:: 0; 2]; [:: 3; 4]]%N)
  = 6%:R / 11%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Version 2: a unique record. *)
Example example_11 :
  cap_matched (table 2 2 [:: [:: 0; 1]; [:: 5; 5]]%N)
      (table 2 2 [:: [:: 0; 2]; [:: 3; 4]]%N)
  = 6%:R / 11%:R.
Proof. by apply: cap_matched_is; vm_compute. Qed.

(** CAP of the original: the hundred people of the course. *)
Example example_12 :
  cap (table 2 2 [:: [:: 20; 30]; [:: 5; 45]]%N)
      (table 2 2 [:: [:: 20; 30]; [:: 5; 45]]%N)
  = 67%:R / 100%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Marginal baseline: the hundred people of the course. *)
Example example_13 :
  marginal_baseline (table 2 2 [:: [:: 20; 30]; [:: 5; 45]]%N)
  = 5%:R / 8%:R.
Proof. by apply: marginal_baseline_is; vm_compute. Qed.

(** CAP of the original: independent of the key. *)
Example example_14 :
  cap (table 2 2 [:: [:: 2; 1]; [:: 4; 2]]%N)
      (table 2 2 [:: [:: 2; 1]; [:: 4; 2]]%N)
  = 5%:R / 9%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Marginal baseline: independent of the key. *)
Example example_15 :
  marginal_baseline (table 2 2 [:: [:: 2; 1]; [:: 4; 2]]%N)
  = 5%:R / 9%:R.
Proof. by apply: marginal_baseline_is; vm_compute. Qed.

(** CAP of the original: two pure keys. *)
Example example_16 :
  cap (table 2 2 [:: [:: 3; 0]; [:: 0; 2]]%N)
      (table 2 2 [:: [:: 3; 0]; [:: 0; 2]]%N)
  = 1%:R / 1%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Marginal baseline: two pure keys. *)
Example example_17 :
  marginal_baseline (table 2 2 [:: [:: 3; 0]; [:: 0; 2]]%N)
  = 13%:R / 25%:R.
Proof. by apply: marginal_baseline_is; vm_compute. Qed.

(** CAP of the original: a target without records. *)
Example example_18 :
  cap (table 3 2 [:: [:: 5; 0; 2]; [:: 1; 0; 2]]%N)
      (table 3 2 [:: [:: 5; 0; 2]; [:: 1; 0; 2]]%N)
  = 61%:R / 105%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Marginal baseline: a target without records. *)
Example example_19 :
  marginal_baseline (table 3 2 [:: [:: 5; 0; 2]; [:: 1; 0; 2]]%N)
  = 13%:R / 25%:R.
Proof. by apply: marginal_baseline_is; vm_compute. Qed.

(** Marginal baseline: three targets. *)
Example example_20 :
  marginal_baseline (table 3 2 [:: [:: 3; 1; 0]; [:: 0; 2; 4]]%N)
  = 17%:R / 50%:R.
Proof. by apply: marginal_baseline_is; vm_compute. Qed.
