import { mapping as a2a01 } from '../src/dialects/a2a-0.1/mapping.ts';
import { mapping02, mapping03 } from '../src/dialects/a2a-0.3/card-mapping.ts';
import { mapping as a2a03 } from '../src/dialects/a2a-0.3/mapping.ts';
import { mapping as a2a03Protobuf } from '../src/dialects/a2a-0.3/protobuf/mapping.ts';
import { mapping as a2aPhp03 } from '../src/dialects/a2a-php-0.3/mapping.ts';
import { mapping as agentVault02 } from '../src/dialects/agentvault-0.2/mapping.ts';
import type { Mapping, Row, Table } from '../src/dialects/kernel/record.ts';
import { header, literal, propertyKey, quote } from './emit.ts';
import type { Model, ModelField } from './model.ts';

/** Mappings of the dialects whose shapes are tables, by the name of their output below `dialects/`. */
export const mappings: Readonly<Record<string, Mapping>> = {
  'a2a-0.1': a2a01,
  'a2a-0.2-card': mapping02,
  'a2a-0.3': a2a03,
  'a2a-0.3-card': mapping03,
  'a2a-0.3-protobuf': a2a03Protobuf,
  'a2a-php-0.3': a2aPhp03,
  'agentvault-0.2': agentVault02,
};

/** A table with the corresponding parts of v1. */
export interface Described {
  readonly name: string;
  readonly table: Table;
  readonly sparse: boolean;
  readonly fields: ReadonlyMap<string, ModelField>;
  /** Fields of v1 that no row converts. */
  readonly lost: readonly ModelField[];
}

/**
 * Returns the tables of a mapping by name, compared with the fields of v1. A row for a field that v1 no longer has is
 * ignored.
 */
export function describeTables({ tables, sparse }: Mapping, model: Model): Described[] {
  return Object.entries(tables).map(([name, table]) => {
    const message = model.messages.find((one) => one.name === table.type);
    if (!message) throw new Error(`${name}: A2A 1.x has no ${table.type}`);
    const fields = new Map(message.fields.map((field) => [field.jsonName, field]));
    const carried = new Set(Object.entries(table.rows).flatMap(([key, { covers = [] }]) => [key, ...covers]));
    return {
      name,
      table,
      sparse: sparse === true,
      fields,
      lost: message.fields.filter(({ jsonName }) => !carried.has(jsonName) || table.rows[jsonName]?.lost),
    };
  });
}

/** Returns the source of the codecs and losses of a mapping. */
export function recordsSource(dialect: string, mapping: Mapping, model: Model): string {
  const all = describeTables(mapping, model);
  const converted = all.filter(({ table }) => !table.described);
  const emitter = new Emitter(converted);
  const functions = converted.map((one) => emitter.functions(one)).join('\n');
  const codecs = converted
    .map(({ name }) => `    ${name}: { decode: decode_${name}, encode: encode_${name} },\n`)
    .join('');
  const losses = Object.entries(lossesByType(all))
    .map(([type, paths]) => `  ${type}: ${literal(paths)},\n`)
    .join('');
  const code = `
/** The codecs of the tables. */
export function compile(t: any, k: any): any {
${emitter.values.join('')}
${functions}
  const codecs = {
${codecs}  };
  return codecs;
}
`;
  return `${header(`the tables of ${dialect}, and the proto of the newest A2A 1.x,`)}
// biome-ignore-all lint: generated

/** Fields of A2A 1.x that are lost, by type. */
export const losses = {
${losses}} as const satisfies Readonly<Record<string, readonly string[]>>;
${mapping.sharesCode ? '' : code}`;
}

/** Returns the paths that may be lost, by top-level type. */
export function lossesByType(all: readonly Described[]): Record<string, string[]> {
  const requests = all.filter(({ table }) => table.type.endsWith('Request'));
  const alone = all.filter(({ name }) => ['message', 'task', 'event', 'card'].includes(name));
  return {
    ...Object.fromEntries(alone.map((one) => [one.name, lossesOf(one, all)])),
    ...(requests.length > 0 && { request: [...new Set(requests.flatMap((one) => lossesOf(one, all)))] }),
  };
}

/** Returns the paths that may be lost, whether or not the loss is reported. */
export function lossesOf({ table, lost }: Described, all: readonly Described[]): string[] {
  const below = Object.entries(table.rows).flatMap(([key, row]) => {
    const at = (path: string): string => (path === '' ? key : path.startsWith('^') ? path.slice(1) : `${key}.${path}`);
    const nested = all.find((one) => one.table === row.of);
    return [
      ...(row.unreported ? [key] : []),
      ...[...(row.losses ?? []), ...(row.unreportedLosses ?? [])].map(at),
      ...(nested ? lossesOf(nested, all).map(at) : []),
    ];
  });
  return [...new Set([...lost.map(({ jsonName }) => jsonName), ...below])];
}

/**
 * Collects the lines of a function that creates an object. Members that are always present are in the object's literal.
 * Each line may fail at the path of a member, at '' if the error itself names the member, or not at all (undefined).
 */
class Lines {
  readonly #name: string;
  readonly #lines: string[] = [];
  /** Members of the literal. */
  #members: { readonly key: string; readonly to: string; readonly path: string | undefined }[] = [];
  #begun = false;
  /** Paths in the order in which they are set. */
  readonly #paths: string[] = [];

  /** @param name variable name of the object */
  constructor(name: string) {
    this.#name = name;
  }

  /** Ends the literal. Further members are assigned to the object. */
  begin(): void {
    if (!this.#begun) this.#lines.push(`const ${this.#name}: any = ${this.#literal()};`);
    this.#begun = true;
  }

  line(line: string, path?: string): void {
    if (!this.#begun) this.#declare(this.#members.length);
    this.#at(path);
    this.#lines.push(line);
  }

  set(key: string, to: string, path?: string): void {
    if (this.#begun) this.line(`${this.#name}.${key} = ${to};`, path);
    else this.#members.push({ key, to, path });
  }

  /** Adds a member whose value may be undefined. */
  setIfThere(key: string, to: string, path?: string): void {
    const value = `${key}_${this.#name}`;
    this.line(`const ${value} = ${to};`, path);
    this.#lines.push(`if (${value} !== undefined) ${this.#name}.${key} = ${value};`);
  }

  /** Returns the function's body, preceded by some lines. */
  body(before: readonly string[] = []): string {
    const result = this.#begun ? this.#name : this.#literal();
    const lines = [...before, ...this.#lines, `return ${result};`];
    const indented = (spaces: string): string => lines.map((line) => `${spaces}${line}\n`).join('');
    const [first = '', ...others] = this.#paths;
    if (first === '' && others.length === 0) return indented('    ');
    const path = others.length === 0 ? quote(first) : 'p';
    return `${others.length === 0 ? '' : `    let p = ${quote(first)};\n`}    try {
${indented('      ')}    } catch (thrown) {
      throw k.below(${path}, thrown);
    }
`;
  }

  #at(path: string | undefined): void {
    if (path === undefined || path === this.#paths.at(-1)) return;
    if (this.#paths.length > 0) this.#lines.push(`p = ${quote(path)};`);
    this.#paths.push(path);
  }

  /**
   * Returns the object's literal. Values that may fail at a path other than the last member's are declared before it.
   */
  #literal(): string {
    const last = this.#members.findLast(({ path }) => path !== undefined)?.path;
    this.#declare(this.#members.findLastIndex(({ path }) => path !== undefined && path !== last) + 1);
    this.#at(last);
    const members = this.#members.map(({ key, to }) => (to === key ? key : `${key}: ${to}`));
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }

  /** Declares variables for those of the first members that may fail, in order. */
  #declare(count: number): void {
    this.#members = this.#members.map(({ key, to, path }, at) => {
      if (path === undefined || at >= count) return { key, to, path };
      this.#at(path);
      this.#lines.push(`const ${key} = ${to};`);
      return { key, to: key, path: undefined };
    });
  }
}

class Emitter {
  /** Declarations that the functions use. */
  readonly values: string[] = [];
  readonly #all: readonly Described[];

  constructor(all: readonly Described[]) {
    this.#all = all;
  }

  functions(one: Described): string {
    return `${this.#decode(one)}${this.#encode(one)}`;
  }

  /** Declares a part of a row, and returns the name of the declaration. */
  #value(table: string, key: string, member: 'of' | 'whole' | 'made'): string {
    const name = `${table}_${key}_${member}`;
    const line = `  const ${name} = t.${table}.rows.${key}.${member};\n`;
    if (!this.values.includes(line)) this.values.push(line);
    return name;
  }

  #pair(name: string): string {
    const line = `  const ${name}_pair = t.${name}.pair;\n`;
    if (!this.values.includes(line)) this.values.push(line);
    return `${name}_pair`;
  }

  #nested(row: Row): string | undefined {
    return this.#all.find(({ table }) => table === row.of)?.name;
  }

  #decode(one: Described): string {
    const { name, table, fields } = one;
    if (table.pair)
      return `  const decode_${name} = (w: any, cx: any): any => ${this.#pair(name)}.decode(w, cx, codecs);\n`;
    const lines = new Lines('v');
    for (const [key, row] of Object.entries(table.rows)) {
      if (row.constant !== undefined || (isDropped(row) && !row.made)) continue;
      const field = fields.get(key);
      const wire = row.as ?? key;
      const at = `w.${wire}`;
      if (row.required) lines.line(`if (!${at}) throw k.missing(${quote(wire)});`, '');
      if (row.whole) {
        if (!row.whole.decode) continue;
        lines.begin();
        const call = `${this.#value(name, key, 'whole')}.decode(w, cx, v, codecs)`;
        if (field) lines.setIfThere(key, call, '');
        else lines.line(`${call};`, '');
        continue;
      }
      if (!field) continue;
      const converts = row.of !== undefined && (this.#nested(row) !== undefined || 'decode' in row.of);
      const path = converts ? (row.list || row.flat ? '' : wire) : undefined;
      const always = field.required === true;
      if (!always || row.flat) lines.begin();
      if (row.flat) {
        lines.set(key, this.#decoded(name, key, row, 'w'), path);
      } else if (row.made) {
        const made = `${this.#value(name, key, 'made')}()`;
        const test = row.list ? `${at}?.length` : at;
        const or = converts ? `${test} ? ${this.#decoded(name, key, row, at)} :` : `${at} ||`;
        lines.set(key, isDropped(row) ? made : `${or} ${made}`, isDropped(row) ? undefined : path);
      } else if (always) {
        const empty = field.repeated ? ' ?? []' : row.of ? ' ?? {}' : " ?? ''";
        const given = row.orEmpty || (field.repeated && one.sparse) ? `(${at}${empty})` : at;
        lines.set(key, this.#decoded(name, key, row, given), path);
      } else {
        const test = field.repeated
          ? `${at}?.length`
          : field.presence && field.kind === 'scalar'
            ? `${at} != null`
            : at;
        const to = this.#decoded(name, key, row, at);
        if (converts && !this.#isWhole(row)) lines.setIfThere(key, `${test} ? ${to} : undefined`, path);
        else lines.line(`if (${test}) v.${key} = ${to};`, path);
      }
    }
    return `  function decode_${name}(w: any, cx: any): any {\n${lines.body()}  }\n`;
  }

  /** Whether a row always returns a value if it is given one. */
  #isWhole(row: Row): boolean {
    return row.list === true || this.#all.some(({ table }) => table === row.of && !table.pair);
  }

  #decoded(table: string, key: string, row: Row, at: string): string {
    const nested = this.#nested(row);
    if (nested && row.list) return `k.decodeList(decode_${nested}, ${at}, cx, ${quote(row.as ?? key)})`;
    if (nested) return `decode_${nested}(${at}, cx)`;
    return row.of && 'decode' in row.of ? `${this.#value(table, key, 'of')}.decode(${at}, cx)` : at;
  }

  #encode(one: Described): string {
    const { name, table, fields, lost } = one;
    const losses = lost.map((field) => `if (${says('v', field)}) cx.losses.add(at + ${quote(field.jsonName)});`);
    for (const [key, row] of Object.entries(table.rows)) {
      const field = fields.get(key);
      if (row.unreported && field)
        losses.push(`if (cx.unreported && ${says('v', field)}) cx.unreported.add(at + ${quote(key)});`);
    }
    if (table.pair) {
      const call = `${this.#pair(name)}.encode(v, cx, at, codecs)`;
      if (losses.length === 0) return `  const encode_${name} = (v: any, cx: any, at: string): any => ${call};\n`;
      const body = [...losses, `return ${call};`].map((line) => `    ${line}\n`).join('');
      return `  function encode_${name}(v: any, cx: any, at: string): any {\n${body}  }\n`;
    }
    const lines = new Lines('w');
    for (const [key, row] of Object.entries(table.rows)) {
      if (isDropped(row)) continue;
      const wire = propertyKey(row.as ?? key);
      const field = fields.get(key);
      if (row.constant !== undefined) {
        lines.set(wire, literal(row.constant));
        continue;
      }
      const at = `v.${key}`;
      if (row.whole) {
        if (!row.whole.encode) continue;
        lines.begin();
        const call = `${this.#value(name, key, 'whole')}.encode(v, cx, w, at, codecs)`;
        lines.setIfThere(wire, row.ifThere ? `${at} !== undefined ? ${call} : undefined` : call);
        continue;
      }
      if (!field) continue;
      if (row.flat) {
        lines.begin();
        lines.line(`Object.assign(w, ${this.#encoded(name, key, row, `(${at} ?? {})`)});`);
        continue;
      }
      const to = this.#encoded(
        name,
        key,
        row,
        row.orEmpty && (row.list || !row.of) ? `(${at} ?? ${field.repeated ? '[]' : "''"})` : at,
      );
      const converts = row.of !== undefined && !this.#nested(row) && 'encode' in row.of;
      const always =
        row.orEmpty ||
        row.required ||
        (field.required === true && !(one.sparse && (field.repeated || converts || row.made)));
      if (always) {
        lines.set(wire, to);
        continue;
      }
      lines.begin();
      const test = one.sparse ? says('v', field) : `${at} !== undefined`;
      if (converts) lines.setIfThere(wire, `${test} ? ${to} : undefined`);
      else lines.line(`if (${test}) w.${wire} = ${to};`);
    }
    return `  function encode_${name}(v: any, cx: any, at: string): any {\n${lines.body(losses)}  }\n`;
  }

  #encoded(table: string, key: string, row: Row, at: string): string {
    const nested = this.#nested(row);
    const path = nested ? `at + ${quote(`${key}.`)}` : row.losses ? `at + ${quote(key)}` : "''";
    if (nested && row.list) return `k.encodeList(encode_${nested}, ${at}, cx, ${path})`;
    if (nested) return `encode_${nested}(${at}, cx, ${path})`;
    return row.of && 'encode' in row.of ? `${this.#value(table, key, 'of')}.encode(${at}, cx, ${path})` : at;
  }
}

/** Whether a row writes nothing. */
const isDropped = ({ unreported, lost }: Row): boolean => unreported === true || lost === true;

/** Returns the condition that an object has a field of v1 that is not empty. */
function says(object: string, { jsonName, kind, repeated, presence }: ModelField): string {
  const at = `${object}.${jsonName}`;
  if (repeated) return `${at}?.length`;
  return kind === 'scalar' || kind === 'bytes' || kind === 'enum'
    ? presence
      ? `${at} !== undefined`
      : at
    : `${at} !== undefined`;
}
