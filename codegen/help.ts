import { readComments } from './comments.ts';
import { header, literal, record } from './emit.ts';
import type { Image } from './image.ts';
import type { Model } from './model.ts';

/** The comments of the operations of a service and of their requests' fields, for programs that show them. */
export function helpSource(model: Model, image: Image, source: string): string {
  const file = image.set.file.find(({ name }) => name === model.file);
  if (!file) throw new Error(`${model.file} is not in the image`);
  const comments = readComments(file);
  const textOf = (name: string): string => (comments.of(name).description ?? '').replace(/\s+/g, ' ');
  const rows = model.operations.map(({ name, service, rpc, request }) => {
    const { fields = [] } = model.messages.find(({ fullName }) => fullName === request) ?? {};
    const texts = fields.map(
      ({ jsonName, protoName }) => [jsonName, literal(textOf(`${request}.${protoName}`))] as const,
    );
    const parts = [
      ['summary', literal(textOf(`${service}.${rpc}`))],
      ['fields', texts.length === 0 ? '{}' : record(texts, '    ')],
    ] as const;
    return [name, record(parts, '  ')] as const;
  });
  return `${header(source)}
import type { OperationName } from './operations.ts';

/** What an operation does, and what the fields of its request mean. */
export interface OperationHelp {
  readonly summary: string;
  /** By their names in JSON. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The comments of \`${model.service}\`. */
export const help: Readonly<Record<OperationName, OperationHelp>> = ${record(rows, '')};
`;
}
