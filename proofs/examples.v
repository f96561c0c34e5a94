(** * Numbers of small tables

    Chapter: theory/cap.md, statement average-cap, and theory/baselines.md,
    statement baselines.

    In words. Average CAP in versions 1 and 2, CAP of the original and the
    marginal baseline of tables that are written down, over the rational numbers.
    Each equals the fraction that a loop over records gives. Written by
    examples.py; check.py has all 2 x 2 tables with counts from 0 to 2. *)

From mathcomp Require Import all_ssreflect all_algebra.
From capstats Require Import counts baselines numbers.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** Version 1: the hundred people of the course. *)
Example example_1 :
  cap (@rational 2 2 [:: [:: 20; 30]; [:: 5; 45]]%N)
      (@rational 2 2 [:: [:: 8; 25]; [:: 7; 60]]%N)
  = 6049%:R / 8844%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Version 2: the hundred people of the course. *)
Example example_2 :
  cap_matched (@rational 2 2 [:: [:: 20; 30]; [:: 5; 45]]%N)
      (@rational 2 2 [:: [:: 8; 25]; [:: 7; 60]]%N)
  = 6049%:R / 8844%:R.
Proof. by apply: cap_matched_is; vm_compute. Qed.

(** Version 1: three targets. *)
Example example_3 :
  cap (@rational 3 2 [:: [:: 3; 1; 0]; [:: 0; 2; 4]]%N)
      (@rational 3 2 [:: [:: 1; 1; 0]; [:: 1; 0; 2]]%N)
  = 7%:R / 15%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Version 2: three targets. *)
Example example_4 :
  cap_matched (@rational 3 2 [:: [:: 3; 1; 0]; [:: 0; 2; 4]]%N)
      (@rational 3 2 [:: [:: 1; 1; 0]; [:: 1; 0; 2]]%N)
  = 7%:R / 15%:R.
Proof. by apply: cap_matched_is; vm_compute. Qed.

(** Version 1: a key that the original lacks. *)
Example example_5 :
  cap (@rational 2 3 [:: [:: 4; 2]; [:: 0; 0]; [:: 1; 3]]%N)
      (@rational 2 3 [:: [:: 1; 1]; [:: 2; 0]; [:: 2; 1]]%N)
  = 7%:R / 15%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Version 2: a key that the original lacks. *)
Example example_6 :
  cap_matched (@rational 2 3 [:: [:: 4; 2]; [:: 0; 0]; [:: 1; 3]]%N)
      (@rational 2 3 [:: [:: 1; 1]; [:: 2; 0]; [:: 2; 1]]%N)
  = 7%:R / 15%:R.
Proof. by apply: cap_matched_is; vm_compute. Qed.

(** Version 1: a unique record. *)
Example example_7 :
  cap (@rational 2 2 [:: [:: 0; 1]; [:: 5; 5]]%N)
      (@rational 2 2 [:: [:: 0; 2]; [:: 3; 4]]%N)
  = 6%:R / 11%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Version 2: a unique record. *)
Example example_8 :
  cap_matched (@rational 2 2 [:: [:: 0; 1]; [:: 5; 5]]%N)
      (@rational 2 2 [:: [:: 0; 2]; [:: 3; 4]]%N)
  = 6%:R / 11%:R.
Proof. by apply: cap_matched_is; vm_compute. Qed.

(** CAP of the original: the hundred people of the course. *)
Example example_9 :
  cap (@rational 2 2 [:: [:: 20; 30]; [:: 5; 45]]%N)
      (@rational 2 2 [:: [:: 20; 30]; [:: 5; 45]]%N)
  = 67%:R / 100%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Marginal baseline: the hundred people of the course. *)
Example example_10 :
  marginal_baseline (@rational 2 2 [:: [:: 20; 30]; [:: 5; 45]]%N)
  = 5%:R / 8%:R.
Proof. by apply: marginal_baseline_is; vm_compute. Qed.

(** CAP of the original: a target without records. *)
Example example_11 :
  cap (@rational 3 2 [:: [:: 5; 0; 2]; [:: 1; 0; 2]]%N)
      (@rational 3 2 [:: [:: 5; 0; 2]; [:: 1; 0; 2]]%N)
  = 61%:R / 105%:R.
Proof. by apply: cap_is; vm_compute. Qed.

(** Marginal baseline: a target without records. *)
Example example_12 :
  marginal_baseline (@rational 3 2 [:: [:: 5; 0; 2]; [:: 1; 0; 2]]%N)
  = 13%:R / 25%:R.
Proof. by apply: marginal_baseline_is; vm_compute. Qed.

(** Marginal baseline: three targets. *)
Example example_13 :
  marginal_baseline (@rational 3 2 [:: [:: 3; 1; 0]; [:: 0; 2; 4]]%N)
  = 17%:R / 50%:R.
Proof. by apply: marginal_baseline_is; vm_compute. Qed.
