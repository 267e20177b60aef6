// Nothing here runs: the type checker holds the types of the protobuf codecs (from the protos) and those of ProtoJSON
// (from the JSON Schema bundle) against each other, message by message.

import type { CodecTypes } from '../../src/gen/a2a-1.1/codecs.ts';
import type { MessageTypes } from '../../src/gen/a2a-1.1/types.ts';
import type { CodecTypes as CodecTypes03 } from '../../src/gen/a2a-v0_3/codecs.ts';
import type { MessageTypes as MessageTypes03 } from '../../src/gen/a2a-v0_3/types.ts';
import type * as grpc from '../../src/gen/clients/v1/grpc.ts';

type IsAny<T> = 0 extends 1 & T ? true : false;

/** What an object looks like when optional is put aside, bytes are text, and enums know no UNRECOGNIZED. */
type Shape<T> =
  IsAny<T> extends true
    ? unknown
    : unknown extends T
      ? unknown
      : T extends Buffer
        ? string
        : T extends string
          ? Exclude<T, 'UNRECOGNIZED'>
          : T extends readonly (infer Item)[]
            ? Shape<Item>[]
            : T extends object
              ? { [K in keyof T]-?: Shape<Exclude<T[K], undefined>> }
              : T;

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Names of the messages whose two types differ. */
type Differing<Codecs, Messages> = {
  [K in keyof Codecs | keyof Messages]: K extends keyof Codecs & keyof Messages
    ? Equal<Shape<Codecs[K]>, Shape<Messages[K]>> extends true
      ? never
      : K
    : K;
}[keyof Codecs | keyof Messages];

type None<T extends never> = T;

export type Agreement = None<Differing<CodecTypes, MessageTypes>> | None<Differing<CodecTypes03, MessageTypes03>>;

type Keys<T> = keyof NonNullable<T>;

/** The typed client of the published version has the codecs of the newest one, and none of its further fields. */
export type Published = None<
  Extract<
    | Keys<grpc.Task>
    | Keys<grpc.GetTaskRequest>
    | Keys<grpc.SendMessageRequest['configuration']>
    | Keys<NonNullable<grpc.ListTasksResponse['tasks']>[number]>
    | Keys<grpc.StreamResponse['statusUpdate']>
    | Keys<grpc.StreamResponse['artifactUpdate']>,
    'generation' | 'currentGeneration' | 'ifGenerationMatch'
  >
>;

// The comparison itself is worth something only if it can fail.
interface Changed extends Omit<MessageTypes, 'lf.a2a.v1.Part'> {
  'lf.a2a.v1.Part': Omit<MessageTypes['lf.a2a.v1.Part'], 'text'> & { text?: number };
}
type True<T extends true> = T;

export type Control = True<Equal<Differing<CodecTypes, Changed>, 'lf.a2a.v1.Part'>>;
