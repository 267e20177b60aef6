import type { StreamResponse } from '../../core/model/a2a.ts';
import type { LoggedEvent, TaskFacts } from '../../core/model/call.ts';
import type { Api } from '../../gen/api.ts';
import { sameCodecs, stripped, type WireCodecs } from '../kernel/bindings.ts';
import type { Codec, CodecContext, StreamShape, UnstringifiedEvent } from '../kernel/codec.ts';
import { keysOfResults } from '../kernel/metadata.ts';
import { additionOf } from './added.ts';
import { type Drop, dropsOf, type Lift, liftsOf } from './dropped.ts';

/**
 * Codecs of a version of A2A 1.x: the canonical form, without fields that the version lacks, with fields that it has in
 * another form, and with fields that are not stored.
 */
export interface VersionCodecs extends WireCodecs {
  /** An event as JSON text. */
  textOf(event: LoggedEvent): string;
  /** Returns the codec of a value that stands alone. */
  alone<T>(type: string): Codec<unknown, T>;
  /** Returns the schema paths that may be lost in a value of this type. */
  losses(type: string): readonly string[];
}

/**
 * Returns the codecs of a version. Its differences from the canonical form are determined here, once for each type: if
 * stored JSON cannot contain any, JSON text from the store is sent unchanged.
 *
 * @param version value of `A2A-Version`
 */
export function versionCodecs(canonical: Api, own: Api, version = ''): VersionCodecs {
  const same = sameCodecs(own);
  const dropOf = dropsOf(canonical, own, version);
  const liftOf = liftsOf(canonical, own, version);
  const counted = withCanonicalNames(canonical, own);
  const event = eventCodec({ own, counted, dropOf, liftOf });
  const encodeWith = (drop: Drop): Codec<unknown, unknown>['encode'] => {
    return (value, { losses }) => drop.from(value, losses);
  };
  return {
    request(type) {
      const codec = lifted(same.request(type), liftOf(type));
      const drop = dropOf(type);
      return drop ? { ...codec, encode: encodeWith(drop) } : codec;
    },
    result(type) {
      const codec = same.result(type);
      const drop = dropOf(type);
      const lift = liftOf(type);
      const addition = additionOf(counted, type);
      if (!drop && !lift && !addition) return codec;
      return {
        ...codec,
        ...(lift && {
          decode: (wire, cx) => {
            const decoded = codec.decode(wire, cx);
            return { ...decoded, value: lift(decoded.value) };
          },
        }),
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
    stream: (type) =>
      type === streamType(own) ? event.shape : streamOf(same.stream(type), dropOf(type), liftOf(type)),
    textOf: event.textOf,
    alone<T>(type: string): Codec<unknown, T> {
      const codec = lifted(stripped<T>(own, type), liftOf(type));
      const drop = dropOf(type);
      return drop ? { ...codec, encode: encodeWith(drop) as Codec<unknown, T>['encode'] } : codec;
    },
    losses: (type) => dropOf(type)?.paths ?? [],
    names: (type) => dropOf(type)?.names,
  };
}

/** Wraps a codec so that it returns values in the canonical form. */
const lifted = <T>(codec: Codec<unknown, T>, lift: Lift | undefined): Codec<unknown, T> =>
  lift ? { ...codec, decode: (wire, cx) => lift(codec.decode(wire, cx)) } : codec;

/** Returns a stream of messages other than those of tasks. */
function streamOf(shape: StreamShape, drop: Drop | undefined, lift: Lift | undefined): StreamShape {
  if (!drop && !lift) return shape;
  const lower = (logged: UnstringifiedEvent, { losses }: CodecContext): unknown =>
    drop ? drop.from(logged.event, losses) : logged.event;
  const { event } = shape;
  return {
    ...shape,
    encoder: (cx) => ({ encode: (logged) => [{ data: JSON.stringify(lower(logged, cx)) }] }),
    decoder: (cx) => {
      const { decode, ...rest } = shape.decoder(cx);
      return { ...rest, decode: (frame) => decode(frame).map((one) => (lift ? lift(one) : one)) };
    },
    ...(event && {
      event: {
        decode: (wire, cx) => (lift ? lift(event.decode(wire, cx)) : event.decode(wire, cx)),
        encode: lower,
      },
    }),
  };
}

/** Returns the fields of a version by their canonical names, under which the gateway adds some of them. */
function withCanonicalNames(canonical: Api, own: Api): Api {
  if (own.fields === canonical.fields) return own;
  const messages = Object.entries(own.fields.messages).map(([type, table]) => {
    const whole = canonical.fields.messages[type] ?? table;
    const fields = whole.fields.filter(({ number }) => table.fields.some((field) => field.number === number));
    return [type, { ...table, fields }] as const;
  });
  return { ...own, fields: { ...own.fields, messages: Object.fromEntries(messages) } };
}

const none: readonly TaskFacts[] = [];

const streamType = ({ package: name }: Api): string => `${name}.StreamResponse`;

/**
 * Whether a value may hold fields that a version lacks: values of tasks that the gateway stores have only stored
 * fields.
 */
const mayHold = ({ isStored }: Drop, of: readonly Pick<TaskFacts, 'generation'>[]): boolean =>
  isStored || !of[0]?.generation;

interface EventForms {
  readonly own: Api;
  /** API with the names of the canonical form. */
  readonly counted: Api;
  dropOf(type: string): Drop | undefined;
  liftOf(type: string): Lift | undefined;
}

function eventCodec({ own, counted, dropOf, liftOf }: EventForms) {
  const type = streamType(own);
  const codec = lifted(stripped<StreamResponse>(own, type, keysOfResults), liftOf(type));
  const drop = dropOf(type);
  const addition = additionOf(counted, type);
  /** Whether the version has every field that a stored event may hold. */
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
