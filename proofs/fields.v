(** * Coq's tactics ring and field over any realFieldType

    No chapter: a tool of the other files. A section that uses it says
    [Add Field R_field : (field_laws R).], and then [mc_ring R] proves equations
    of polynomials and [mc_field R] those of fractions whose denominators are
    not 0. *)

From Coq Require Import Field.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Operations.

Variable R : realFieldType.

Definition r_add (x y : R) : R := x + y.
Definition r_mul (x y : R) : R := x * y.
Definition r_opp (x : R) : R := - x.
Definition r_inv (x : R) : R := x^-1.
Definition r_sub (x y : R) : R := r_add x (r_opp y).
Definition r_div (x y : R) : R := r_mul x (r_inv y).
Definition r_natmul (x : R) (n : nat) : R := x *+ n.
Definition r_zero : R := 0.
Definition r_one : R := 1.

Lemma field_laws :
  field_theory r_zero r_one r_add r_mul r_sub r_opp r_div r_inv (@eq R).
Proof.
split; first split; try by [].
- exact: add0r.
- exact: addrC.
- exact: addrA.
- exact: mul1r.
- exact: mulrC.
- exact: mulrA.
- exact: mulrDl.
- exact: subrr.
- by move/eqP; rewrite oner_eq0.
- by move=> x /eqP x0; rewrite /r_mul /r_inv mulVf.
Qed.

End Operations.

Ltac to_field R :=
  rewrite ?expr2 ?exprS ?expr0 ?mulr2n ?mulrS ?mulr0n;
  repeat match goal with
  | |- context [@GRing.add ?V ?x ?y] =>
      change (@GRing.add V x y) with (@r_add R x y)
  | |- context [@GRing.mul ?V ?x ?y] =>
      change (@GRing.mul V x y) with (@r_mul R x y)
  | |- context [@GRing.opp ?V ?x] => change (@GRing.opp V x) with (@r_opp R x)
  | |- context [@GRing.natmul ?V ?x ?n] =>
      change (@GRing.natmul V x n) with (@r_natmul R x n)
  | |- context [@GRing.inv ?V ?x] => change (@GRing.inv V x) with (@r_inv R x)
  | |- context [@GRing.zero ?V] => change (@GRing.zero V) with (@r_zero R)
  | |- context [@GRing.one ?V] => change (@GRing.one V) with (@r_one R)
  end;
  match goal with
  | |- @eq ?X ?a ?b => change (@eq (Num.RealField.sort R) a b)
  end.

Ltac mc_ring R := to_field R; ring.
Ltac mc_field R := to_field R; field.
