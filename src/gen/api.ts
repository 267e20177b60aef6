import type { Operation } from './operations.ts';

/**
 * How a single value looks in canonical ProtoJSON; `scalar` is a string, boolean or number. 64-bit integers are strings of
 * decimal digits, and NaN and the infinities are the strings that ProtoJSON has for them.
 */
export type ValueKind =
  | 'scalar'
  | 'enum'
  | 'message'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'fieldMask'
  | 'empty'
  | 'struct'
  | 'value'
  | 'list';

/** One field of a message. */
export interface Field {
  /** Name in canonical ProtoJSON, such as `contextId`. */
  readonly jsonName: string;
  /** Name in the proto, such as `context_id`; ProtoJSON parsers accept it too. */
  readonly protoName: string;
  readonly number: number;
  readonly kind: ValueKind | 'map';
  /** Proto scalar type (`string`, `int32`, …) or full name of the message or enum; of the values, for a map. */
  readonly type: string;
  /** Kind of the values of a map. */
  readonly valueKind?: ValueKind;
  /** Scalar type of a map's keys, which are strings in JSON. Absent: `string`. */
  readonly keyType?: string;
  readonly repeated?: true;
  /** A scalar in a message of its own, such as google.protobuf.Int32Value. */
  readonly wrapped?: true;
  /** A number that cannot be NaN or infinite. */
  readonly finite?: true;
  /** Absent and the type's default are different (proto3 `optional`, oneof members, messages). */
  readonly presence?: true;
  /** Must be there, by `google.api.field_behavior`. */
  readonly required?: true;
  /** Required, and yet the type's default (empty, 0) is legal; canonical JSON writes it out, input may leave it out. */
  readonly defaulted?: true;
  /** Stored tasks and events never hold it: the gateway adds it to what it sends. */
  readonly added?: true;
  /** Name of the oneof that the field belongs to. */
  readonly oneof?: string;
  /** The version of A2A 1.x that it came with. Absent: that of its message. */
  readonly since?: string;
  /** The last version of A2A 1.x that has it. Absent: that of its message. */
  readonly until?: string;
  /** What it is in versions of A2A 1.x that have it by another name or in another form. */
  readonly changed?: Readonly<Record<string, Field>>;
}

/** A set of fields of which at most one may be there. */
export interface Oneof {
  readonly name: string;
  /** JSON names. */
  readonly members: readonly string[];
  /** Exactly one must be there. */
  readonly required: boolean;
  /** The version of A2A 1.x that it came with. Absent: that of its message. */
  readonly since?: string;
  /** The last version of A2A 1.x that has it. Absent: that of its message. */
  readonly until?: string;
  /** What it is in versions of A2A 1.x that have it with other members. */
  readonly changed?: Readonly<Record<string, Oneof>>;
}

/** The fields of one message, in the proto's order. */
export interface MessageTable {
  readonly fields: readonly Field[];
  readonly oneofs: readonly Oneof[];
  /** The version of A2A 1.x that it came with. Absent: the first. */
  readonly since?: string;
  /** The last version of A2A 1.x that has it. Absent: the newest. */
  readonly until?: string;
}

/** All messages and enums of a package by full name; an enum maps value names to numbers. */
export interface FieldTables {
  readonly messages: Readonly<Record<string, MessageTable>>;
  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The version of A2A 1.x that a value of an enum came with, by enum and name. Absent: the first. */
  readonly valuesSince?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The last version of A2A 1.x that has a value of an enum, by enum and name. Absent: the newest. */
  readonly valuesUntil?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The names that values of enums have in versions of A2A 1.x with other ones, by enum, name and version. */
  readonly valueNames?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
}

/** What a value is to be: the parts of JSON Schema that the schemas of dialects use, and what fields of protos have besides. */
export interface Shape {
  /** Name of another shape. */
  readonly $ref?: string;
  /** Of JSON Schema, or scalar type or kind of a proto's field. */
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Shape[];
  /** Of the items of a list, or of the values of a map. */
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly minLength?: number;
  readonly minItems?: number;
  /** Source of a regular expression. */
  readonly pattern?: string;
  /** As in `Field`. */
  readonly keyType?: string;
  readonly oneofs?: readonly Oneof[];
}

/** Whether a value is canonical ProtoJSON of one message type. */
export type Guard = (value: unknown) => boolean;

/** Everything generated about one service: the shape that transports take as a parameter. */
export interface Api {
  /** Proto package, such as `lf.a2a.v1`. */
  readonly package: string;
  /** Full name of the service. */
  readonly service: string;
  readonly operations: readonly Operation[];
  readonly fields: FieldTables;
  /** By full message name. */
  readonly guards: Readonly<Record<string, Guard>>;
}

/** A version of A2A 1.x. */
export interface Version<Name extends string = string> {
  /** Name of its dialect. */
  readonly name: Name;
  /** Its value of `A2A-Version`, and of `protocolVersion` in cards. */
  readonly version: string;
  /** Not published yet, and served only where the configuration names it: what it is taken from, and when. */
  readonly preview?: { readonly source: string; readonly date: string };
  /** The versions after this one: it lacks what came with them. */
  readonly newer: readonly string[];
  /** Loads the descriptors that `gen/image.ts` lacks, in the same form. */
  readonly image: () => Promise<string>;
}
