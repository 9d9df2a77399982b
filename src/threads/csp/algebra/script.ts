/**
 * What a CSP script is: declarations of names and channels, sets, processes, and claims about them. It is
 * the part of CSPm, the language of the model checker FDR, that the models of this folder need:
 *
 *   datatype Thread = T1 | T2
 *   channel lock, unlock : Thread.Mutex
 *   MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)
 *   assert STOP [T= PROGRAM \ diff(Events, {race})
 */

/** A constant or a parameter, a number, n+1, or an event such as lock.T1.m. */
export type Expression =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'number'; readonly value: number }
  | {
      readonly kind: 'sum';
      readonly left: Expression;
      readonly sign: '+' | '-';
      readonly right: Expression;
    }
  | { readonly kind: 'dotted'; readonly parts: readonly Expression[] };

export type SetExpression =
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'range'; readonly from: Expression; readonly to: Expression }
  /** `{| lock, fork.T1 |}`: all events that begin so. */
  | { readonly kind: 'closure'; readonly items: readonly Expression[] }
  | { readonly kind: 'union'; readonly left: SetExpression; readonly right: SetExpression }
  | { readonly kind: 'difference'; readonly left: SetExpression; readonly right: SetExpression }
  /** A datatype, a set that was defined, or `Events`: all there are. */
  | { readonly kind: 'named'; readonly name: string };

export interface Condition {
  readonly relation: '==' | '!=';
  readonly left: Expression;
  readonly right: Expression;
}

export type Field =
  | { readonly kind: 'value'; readonly value: Expression }
  /** Any value of the set, or of the channel's; the name stands for it in what follows. */
  | { readonly kind: 'input'; readonly name: string; readonly set: SetExpression | undefined };

export type Process =
  | { readonly kind: 'stop' }
  | { readonly kind: 'skip' }
  /** `head` is a channel, or a name that stands for an event. */
  | {
      readonly kind: 'prefix';
      readonly head: string;
      readonly fields: readonly Field[];
      readonly rest: Process;
    }
  | { readonly kind: 'guard'; readonly condition: Condition; readonly rest: Process }
  | { readonly kind: BinaryKind; readonly left: Process; readonly right: Process }
  | {
      readonly kind: 'parallel';
      readonly left: Process;
      readonly shared: SetExpression;
      readonly right: Process;
    }
  | { readonly kind: 'hide'; readonly process: Process; readonly hidden: SetExpression }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Expression[] }
  | {
      readonly kind: 'replicated';
      readonly operator: ReplicatedOperator;
      readonly name: string;
      readonly over: SetExpression;
      readonly body: Process;
    };

/** P [] Q, P ||| Q, P /\ Q, P ; Q. */
export type BinaryKind = 'choice' | 'interleave' | 'interrupt' | 'sequence';

export type ReplicatedOperator =
  | { readonly kind: 'choice' }
  | { readonly kind: 'interleave' }
  | { readonly kind: 'parallel'; readonly shared: SetExpression };

export type Definition =
  | { readonly kind: 'datatype'; readonly name: string; readonly constants: readonly string[] }
  | {
      readonly kind: 'channel';
      readonly names: readonly string[];
      readonly types: readonly SetExpression[];
    }
  | { readonly kind: 'set'; readonly name: string; readonly value: SetExpression }
  | {
      readonly kind: 'process';
      readonly name: string;
      readonly parameters: readonly string[];
      readonly body: Process;
    }
  /** The traces of the implementation are among those of the specification. */
  | {
      readonly kind: 'assert';
      readonly specification: Process;
      readonly implementation: Process;
    };

export type Script = readonly Definition[];
