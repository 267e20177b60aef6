import type { Message } from '../../../src/core/model/a2a.ts';
import { type GrpcWords, grpcWords, type Words, words } from '../../support/hostile-words.ts';
import { v1Message } from '../../support/legacy-words.ts';
import { card03Grpc, card10Grpc, grpcWords03, words01, words02, words03Rest } from '../../support/older-words.ts';

/** A dialect over a binding, as an agent speaks it that is not built from the gateway's own code. */
export interface Speech {
  /** Over HTTP; gRPC has `grpc` in its place. */
  readonly words?: Words;
  readonly grpc?: GrpcWords & { card(target: string): object };
  /** The client's message in a request, in A2A 1.0. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the gateway sent
  message(request: any): Message;
  /** `client`: the client names new tasks. `agent`: it answers with the id alone, and streams in a second call. */
  readonly names?: 'client' | 'agent';
  /** Whether it has answers without a task. */
  readonly hasMessages: boolean;
  /** Whether a stream begins with the task. */
  readonly streamsTask: boolean;
  /** Whether a task that is over refuses subscribers. */
  readonly endsSubscriptions?: true;
}

const partsOf = (parts: readonly { readonly text?: string; readonly content?: string }[] = []): Message['parts'] =>
  parts.map(({ text, content }) => ({ text: text ?? content ?? '' }));

/** A message in dialects whose messages have no ids of their own. */
const bare = ({ id, message }: { readonly id?: string; readonly message: { readonly parts?: [] } }): Message => ({
  messageId: '',
  role: 'ROLE_USER',
  parts: partsOf(message.parts),
  ...(id !== undefined && { taskId: id }),
});

const modern = ({ message }: { readonly message: Message }): Message => message;
const legacy = ({ message }: { readonly message: object }): Message => v1Message(message);
const protobuf03 = ({ message: { content, ...rest } }: { readonly message: Message & { content?: [] } }): Message => ({
  ...rest,
  parts: partsOf(content),
});

const withTasks = { hasMessages: true, streamsTask: true } as const;

/** By the name that agents of it have at the gateways. */
export const speeches: Readonly<Record<string, Speech>> = {
  'wire-01': { words: words01, message: bare, names: 'client', hasMessages: false, streamsTask: false },
  'wire-02': { words: words02, message: legacy, ...withTasks },
  'wire-03': { words: words['a2a-0.3 jsonrpc'], message: legacy, ...withTasks },
  'wire-03-rest': { words: words03Rest, message: protobuf03, ...withTasks },
  'wire-03-grpc': { grpc: { ...grpcWords03, card: card03Grpc }, message: protobuf03, ...withTasks },
  'wire-10': { words: words['a2a-1.0 jsonrpc'], message: modern, endsSubscriptions: true, ...withTasks },
  'wire-10-rest': { words: words['a2a-1.0 rest'], message: modern, endsSubscriptions: true, ...withTasks },
  'wire-10-grpc': { grpc: { ...grpcWords, card: card10Grpc }, message: modern, endsSubscriptions: true, ...withTasks },
  vault: { words: words.agentvault, message: bare, names: 'agent', hasMessages: false, streamsTask: false },
};

export const speechNames: readonly string[] = Object.keys(speeches);

/** Whether an agent behind the gateways is one of these. */
export const isWireAgent = (name: string): boolean => Object.hasOwn(speeches, name);
