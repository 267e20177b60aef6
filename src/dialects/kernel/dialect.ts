import type { AgentCard } from '../../core/model/a2a.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import type { JsonObject } from '../../core/model/json.ts';
import type { VersionName } from '../../gen/versions.ts';
import type { CardSigning } from './card-signing.ts';
import type { Codec, Losses, StreamShape } from './codec.ts';
import type { WireProtocol } from './wire.ts';

/** The versions of the protocol, and their variations, that the gateway serves. */
export type DialectName = VersionName | 'a2a-0.3' | 'a2a-0.2' | 'a2a-0.1' | 'agentvault-0.2' | 'a2a-php-0.3';

/** Converts cards, and lists the paths at which they are found. */
export interface CardShape extends Codec<unknown, AgentCard> {
  /** Paths below an agent's base at which clients of this dialect look, the preferred one first. */
  readonly paths: readonly string[];
  /** Version of this dialect's interfaces in v1 cards. */
  readonly protocolVersion: string;
  /** Names of the members that a card has in this dialect. Cards of other dialects have further ones. */
  readonly members: ReadonlySet<string>;
  /** Whether a document that can be read is more likely the card of another dialect. Absent: never. */
  isUnlikely?(document: JsonObject): boolean;
  /** Signing of cards. Absent if cards have no place for signatures. */
  readonly signing?: CardSigning;
}

/** Webhook requests of a dialect. */
export interface PushShape {
  readonly mediaType: string;
  /**
   * The body: an event as JSON text, the whole task after an event, or a frame of a stream with its name added to its data
   * as `event`.
   */
  readonly body: { textOf(event: LoggedEvent): string } | 'task' | Pick<StreamShape, 'encoder'>;
  /** Headers of this dialect. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Likelihood that a request belongs to a dialect. 0: no sign; 1: a hint, such as the request id's prefix; 2: only this
 * dialect has the shape.
 */
export type Claim = 0 | 1 | 2;

/** One version of the protocol, as data, for serving clients and for calling agents. */
export interface Dialect extends WireProtocol {
  readonly name: DialectName;
  /** Set if its specification is not published yet. It is served, and used for agents, only if it is named. */
  readonly preview?: true;
  /** Set if clients choose the ids of tasks, with the message that opens a task. */
  readonly callersName?: true;
  readonly card: CardShape;
  /** Webhook requests. Absent if the dialect has no push notifications. */
  readonly push?: PushShape;
  /** The types that stand alone: golden frames, round-trip properties and `translate` loop over them. */
  readonly types: Readonly<Record<string, Codec<unknown, unknown>>>;
  /** v1 paths that this dialect cannot carry, by type. A property test proves that the list is complete. */
  readonly losses: Losses;
  /** Returns how likely a request belongs to this dialect, if several have its method. */
  claim?(method: string, params: unknown, id: unknown): Claim;
}
