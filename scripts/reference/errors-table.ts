import { A2AError, type ErrorKind, errorTable } from '../../src/core/model/errors.ts';
import { createDialects } from '../../src/dialects/registry.ts';

/** The table of all kinds of errors: what they are called, and their codes in each dialect and binding. */
export function errorsTable(): string {
  const dialects = createDialects().list.flatMap(({ name, preview, jsonrpc }) =>
    preview === undefined && jsonrpc ? [{ name, jsonrpc }] : [],
  );
  const kinds = Object.keys(errorTable) as ErrorKind[];
  const head = ['reason', 'meaning', 'HTTP', 'gRPC', ...dialects.map(({ name }) => name)];
  const rows = kinds.map((kind) => {
    const { reason, message, http, grpc } = errorTable[kind];
    const codes = dialects.map(({ jsonrpc }) => jsonrpc.error.encode(new A2AError(kind), { losses: new Set() }).code);
    return [`\`${reason}\``, message, http, `\`${grpc}\``, ...codes];
  });
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
