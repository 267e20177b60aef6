import type { AgentCard } from '../../core/model/a2a.ts';
import type { CardSigning } from './card-signing.ts';
import type { Codec, Losses, StreamShape } from './codec.ts';
import type { WireProtocol } from './wire.ts';

/** The generations of the protocol, and their variations, that the gateway speaks. */
export type DialectName = 'a2a-1.0' | 'a2a-0.3' | 'a2a-0.2' | 'a2a-0.1' | 'agentvault-0.2' | 'a2a-php-0.3';

/** How a dialect's card is derived from the v1 card, where it is found, and how a v1 card is read from it. */
export interface CardShape extends Codec<unknown, AgentCard> {
  /** Paths below an agent's base at which clients of this dialect look, the preferred one first. */
  readonly paths: readonly string[];
  /** What v1 cards call the version of this dialect's interfaces. */
  readonly protocolVersion: string;
  /** Absent where cards have no place for signatures. */
  readonly signing?: CardSigning;
}

/** What webhooks of a dialect receive. */
export interface PushShape {
  readonly mediaType: string;
  /**
   * What a body is: an event by itself, the whole task as it was after an event, or a frame of a stream, its name added to
   * its data as `event`.
   */
  readonly body: 'event' | 'task' | Pick<StreamShape, 'encoder'>;
  /** Headers besides those that tell whose notification it is. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** 0: no sign; 1: a hint, such as the request id's prefix; 2: the shape can only be this dialect's. */
export type Claim = 0 | 1 | 2;

/** One generation of the protocol, as data, used to serve clients and to call agents. */
export interface Dialect extends WireProtocol {
  readonly name: DialectName;
  /** Agents give tasks no ids: whoever calls them does, with the message that opens a task. */
  readonly callersName?: true;
  readonly card: CardShape;
  /** Absent where the dialect has no push notifications. */
  readonly push?: PushShape;
  /** The types that stand alone: golden frames, round-trip properties and `translate` loop over them. */
  readonly types: Readonly<Record<string, Codec<unknown, unknown>>>;
  /** v1 paths that this dialect cannot carry, by type. A property test proves that nothing else is lost. */
  readonly losses: Losses;
  /** How surely a request is this dialect's own where its method name is shared. */
  claim?(method: string, params: unknown, id: unknown): Claim;
}
