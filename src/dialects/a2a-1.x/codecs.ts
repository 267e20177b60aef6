import type { StreamResponse } from '../../core/model/a2a.ts';
import type { LoggedEvent, TaskFacts } from '../../core/model/call.ts';
import type { Api } from '../../gen/api.ts';
import { sameCodecs, stripped, type WireCodecs } from '../kernel/bindings.ts';
import type { Codec, CodecContext, UnstringifiedEvent } from '../kernel/codec.ts';
import { keysOfResults } from '../kernel/metadata.ts';
import { additionOf } from './added.ts';
import { type Drop, dropsOf } from './dropped.ts';

/** Codecs of a version of A2A 1.x: the canonical form, without what the version lacks, and with what is not stored. */
export interface VersionCodecs extends WireCodecs {
  /** An event as JSON text. */
  textOf(event: LoggedEvent): string;
  /** A value that stands alone. */
  alone<T>(type: string): Codec<unknown, T>;
  /** What may be lost in a value of this type. */
  losses(type: string): readonly string[];
}

/**
 * The codecs of a version. Whether it lacks anything is found here, once, for each type: where stored JSON cannot hold it,
 * JSON text from the store is sent as it is.
 */
export function versionCodecs(canonical: Api, own: Api): VersionCodecs {
  const same = sameCodecs(own);
  const dropOf = dropsOf(canonical, own);
  const event = eventCodec(own, dropOf);
  const encodeWith = (drop: Drop): Codec<unknown, unknown>['encode'] => {
    return (value, { losses }) => drop.from(value, losses);
  };
  return {
    request(type) {
      const codec = same.request(type);
      const drop = dropOf(type);
      return drop ? { ...codec, encode: encodeWith(drop) } : codec;
    },
    result(type) {
      const codec = same.result(type);
      const drop = dropOf(type);
      const addition = additionOf(own, type);
      if (!drop && !addition) return codec;
      return {
        ...codec,
        encode({ value, facts, taskFacts }, { losses }) {
          const tasks = taskFacts ?? (facts ? [facts] : none);
          const whole = addition ? addition.to(value, tasks) : value;
          return drop && mayHold(drop, tasks) ? drop.from(whole, losses) : whole;
        },
        textOf({ json, facts }) {
          if (json === undefined || drop?.isStored) return undefined;
          return addition ? facts && addition.toText(json, facts) : json;
        },
      };
    },
    stream: (type) => (type === streamType(own) ? event.shape : same.stream(type)),
    textOf: event.textOf,
    alone<T>(type: string): Codec<unknown, T> {
      const codec = stripped<T>(own, type);
      const drop = dropOf(type);
      return drop ? { ...codec, encode: encodeWith(drop) as Codec<unknown, T>['encode'] } : codec;
    },
    losses: (type) => dropOf(type)?.paths ?? [],
  };
}

const none: readonly TaskFacts[] = [];

const streamType = ({ package: name }: Api): string => `${name}.StreamResponse`;

/** Whether a value may hold what a version lacks: values of tasks that the gateway keeps have only what it stores. */
const mayHold = ({ isStored }: Drop, of: readonly Pick<TaskFacts, 'generation'>[]): boolean =>
  isStored || !of[0]?.generation;

function eventCodec(own: Api, dropOf: (type: string) => Drop | undefined) {
  const type = streamType(own);
  const codec = stripped<StreamResponse>(own, type, keysOfResults);
  const drop = dropOf(type);
  const addition = additionOf(own, type);
  /** Whether the version has all that a stored event may hold. */
  const isStoredWhole = !drop?.isStored;
  const encode = ({ event, generation }: UnstringifiedEvent, cx: CodecContext): StreamResponse => {
    const whole = addition && generation > 0 ? addition.to(event, [{ generation }]) : event;
    return drop && (!isStoredWhole || generation === 0) ? drop.from(whole, cx.losses) : whole;
  };
  const textOf = (logged: LoggedEvent, cx: CodecContext): string => {
    if (isStoredWhole && logged.generation > 0) {
      const text = addition ? addition.toText(logged.json, logged) : logged.json;
      if (text !== undefined) return text;
    }
    const encoded = encode(logged, cx);
    return encoded === logged.event ? logged.json : JSON.stringify(encoded);
  };
  return {
    textOf: (logged: LoggedEvent): string => textOf(logged, { losses: new Set() }),
    shape: {
      encoder: (cx: CodecContext) => ({ encode: (logged: LoggedEvent) => [{ data: textOf(logged, cx) }] }),
      decoder: (cx) => ({ decode: ({ data }) => [codec.decode(data, cx)] }),
      event: { decode: codec.decode, encode },
    } satisfies ReturnType<WireCodecs['stream']>,
  };
}
