/**
 * Returns the first lines of a generated file.
 *
 * @param source the inputs, for readers who want to change the file
 */
export function header(source: string): string {
  return `// Generated from ${source} by \`npm run generate\`. Do not edit.\n`;
}

/**
 * Formats a value as TypeScript source: single quotes, unquoted keys where possible, `__proto__` as an ordinary key.
 */
export function literal(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([key, entry]) => `${propertyKey(key)}: ${literal(entry)}`);
    return entries.length > 0 ? `{ ${entries.join(', ')} }` : '{}';
  }
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Formats a string as TypeScript source. */
export function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Formats an object key as TypeScript source. */
export function propertyKey(key: string): string {
  if (key === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);
}

/** Formats a record with one row per line. */
export function record(rows: readonly (readonly [key: string, value: string])[], indent: string): string {
  const lines = rows.map(([key, value]) => `${indent}  ${propertyKey(key)}: ${value},\n`);
  return `{\n${lines.join('')}${indent}}`;
}

/** Formats a list with one row per line. */
export function list(rows: readonly string[], indent: string): string {
  return rows.length === 0 ? '[]' : `[\n${rows.map((row) => `${indent}  ${row},\n`).join('')}${indent}]`;
}
