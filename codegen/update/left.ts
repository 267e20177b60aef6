import type { DescFile } from '@bufbuild/protobuf';
import { conversions, requiredValues } from '../../src/dialects/a2a-1.x/conversions.ts';
import { defaultFor } from '../../src/dialects/a2a-1.x/dropped.ts';
import { conversionOf } from '../../src/dialects/a2a-1.x/retyped.ts';
import { type Model, staleRows, tablesOf } from '../model.ts';
import { overlay } from '../overlay.ts';
import type { Change } from './diff.ts';
import { hasTable, tabledDialects } from './losses.ts';
import { mentions, type Place, unite } from './mentions.ts';
import type { CompilerError } from './project.ts';
import { type Declaration, declarationsIn, mentionsWord, nameAt } from './sources.ts';

interface LeftOptions {
  /** Copy of the project in which the update was compiled. */
  readonly copy: string;
  readonly changes: readonly Change[];
  /** Declarations of the project's source files. */
  readonly declarations: readonly Declaration[];
  /** The former proto. */
  readonly before: DescFile;
  /** The former model and the new model. */
  readonly was: Model;
  readonly model: Model;
  /** The new canonical form. */
  readonly canonical: Model;
  /** Compiler errors in the new code. */
  readonly errors: readonly CompilerError[];
}

/** Returns the places that must be written or checked by hand after an update, by file and function. */
export function leftToWrite({
  copy,
  changes,
  declarations,
  before,
  was,
  model,
  canonical,
  errors,
}: LeftOptions): Place[] {
  const compiled = errors.map(({ file, line, message }): Place => {
    const dir = file.split('/')[0] ?? '';
    const name = file === '' ? undefined : nameAt(dir === 'src' ? declarations : declarationsIn(copy, dir), file, line);
    return { file: file || 'tsconfig.json', line, why: shortened(message), ...(name !== undefined && { name }) };
  });
  // A row may concern only another version of A2A 1.x.
  const formerly = staleRows(was, overlay);
  const goneNames = new Set(staleRows(model, overlay).filter((name) => !formerly.includes(name)));
  const stale = [...goneNames].map(
    (name): Place => ({ file: 'codegen/overlay.ts', name: 'overlay', why: `has a row about ${name}, which is gone` }),
  );
  const known = new Set(was.notes.map(({ at, says }) => `${at} ${says}`));
  // The overlay refers to rpcs by their former names.
  const former = new Set(canonical.operations.flatMap((row) => Object.values(row.changed ?? {}).map(({ rpc }) => rpc)));
  const notes = model.notes
    .filter(({ at, says }) => !(former.has(at.split('.').at(-1) ?? '') && says.includes('`meanings`')))
    .map(({ at, says }) => `${at} ${says}`)
    .filter((note) => !known.has(note));
  const isCompiled = ({ file, name }: Place): boolean =>
    compiled.some((place) => place.file === file && (place.name === name || place.name?.startsWith(`${name}.`)));
  const found = [...mentions(declarations, changes, before), ...silentlyDropped(declarations, changes)];
  return [
    ...unite([...compiled, ...found.filter((place) => !isCompiled(place))]),
    ...stale,
    ...notes.map((why): Place => ({ file: 'codegen/overlay.ts', name: 'overlay', why })),
    ...decisions(changes, model),
    ...unconverted(canonical),
    ...withoutValue(canonical),
  ];
}

/** Returns the fields that a version requires, but callers of another version may omit, and that have no default. */
function withoutValue(canonical: Model): Place[] {
  const { fields: tables } = tablesOf(canonical);
  return canonical.messages.flatMap(({ name, fullName, fields }) =>
    fields.flatMap((field) =>
      Object.entries(field.changed ?? {}).flatMap(([version, own]): Place[] => {
        const isWritten = Object.hasOwn(requiredValues, `${version} ${fullName}.${field.jsonName}`);
        if (!own.required || field.required || isWritten || defaultFor(own, tables)) return [];
        const why = `${name}.${field.jsonName} is required in A2A ${version}, and callers of other versions need not send it: left out until a value is written`;
        return [{ file: 'src/dialects/a2a-1.x/conversions.ts', name: 'requiredValues', why }];
      }),
    ),
  );
}

/** Returns the fields whose types differ between versions of A2A 1.x in a way that no rule converts. */
function unconverted(canonical: Model): Place[] {
  const { fields: tables } = tablesOf(canonical);
  return canonical.messages.flatMap(({ name, fullName, fields }) =>
    fields.flatMap((field) =>
      Object.entries(field.changed ?? {}).flatMap(([version, own]): Place[] => {
        const isWritten = Object.hasOwn(conversions, `${version} ${fullName}.${field.jsonName}`);
        if (isWritten || (conversionOf(field, own, tables) && conversionOf(own, field, tables))) return [];
        const why = `${name}.${field.jsonName} is ${own.type} in A2A ${version}, and ${field.type} otherwise: lost until it is converted`;
        return [{ file: 'src/dialects/a2a-1.x/conversions.ts', name: 'conversions', why }];
      }),
    ),
  );
}

/** Shortens a compiler message by removing the members of types. */
function shortened(message: string): string {
  const text = message.replace(/ in type '\{[^']*' but required in type .*$/, '').replace(/'\{[^']*'/g, "'{…}'");
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}

/** Returns the places where a dialect converts a message with new fields by a function instead of a table. */
function silentlyDropped(declarations: readonly Declaration[], changes: readonly Change[]): Place[] {
  return changes.flatMap(({ kind, change, owner, word }) => {
    if (kind !== 'field' || change !== 'added') return [];
    const without = tabledDialects.filter((dialect) => !hasTable(dialect, owner));
    return declarations
      .filter(({ file, code }) => {
        const isBinding = without.some((dialect) => file.startsWith(`src/dialects/${dialect}/`));
        return isBinding && /\b(?:encode|decode)\b|=> |^(?:export )?function/.test(code) && mentionsWord(code, owner);
      })
      .map(({ file, name, line }) => ({ file, name, line, why: `converts ${owner} without a table; drops ${word}` }));
  });
}

/** Returns the questions about new elements that the proto cannot answer and that overlay rows may have to. */
function decisions(changes: readonly Change[], model: Model): Place[] {
  return changes.flatMap(({ kind, change, name, detail = '' }): Place[] => {
    const [owner, member] = name.split('.');
    const fullName = model.messages.find((message) => message.name === owner)?.fullName;
    const place = (why: string): Place[] => [{ file: 'codegen/overlay.ts', name: 'overlay', why }];
    if (kind === 'oneof' && change === 'added') {
      return place(`requiredOneofs: does one member of ${fullName}.${member} have to be there?`);
    }
    const isRequired = kind === 'field' && change === 'added' && detail.includes('REQUIRED');
    return isRequired ? place(`mayBeEmpty: may ${fullName}.${member} be empty?`) : [];
  });
}

/** Returns the tables that convert the messages of new fields. */
export function rowsToAdd(declarations: readonly Declaration[], changes: readonly Change[]): Place[] {
  const added = changes.filter(({ kind, change }) => kind === 'field' && change === 'added');
  const places = added.flatMap(({ owner, word }) =>
    declarations
      .filter(({ file, code }) => file.startsWith('src/dialects/') && isTableOf(code, owner))
      .map(({ file, name, line }) => ({ file, name, line, why: word })),
  );
  return unite(places);
}

/** Whether a declaration is the table of a message: `record<…>('Task', {…})`. */
const isTableOf = (code: string, message: string): boolean =>
  new RegExp(`\\b(?:record|pair|described)\\b[^'"(]*\\(\\s*'${message}'`).test(code);
