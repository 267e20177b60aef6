import { readComments } from './comments.ts';
import { header, literal, record } from './emit.ts';
import type { Image } from './image.ts';
import type { Model } from './model.ts';

/** A proto with its comments. */
interface Version {
  readonly image: Image;
  readonly model: Pick<Model, 'file'>;
}

/**
 * Returns the source with the comments of a service's operations and of the fields of their requests, for programs that
 * show them.
 *
 * @param versions protos of the service; each comment is taken from the first that has one
 */
export function helpSource(model: Model, versions: readonly Version[], source: string): string {
  const comments = versions.map(({ image, model: { file: name } }) => {
    const file = image.set.file.find((one) => one.name === name);
    if (!file) throw new Error(`${name} is not in the image`);
    return readComments(file);
  });
  const textOf = (name: string): string => {
    const texts = comments.flatMap((one) => one.of(name).description ?? []);
    return (texts[0] ?? '').replace(/\s+/g, ' ');
  };
  const summaries = model.operations.map(
    ({ name, service, rpc }) => [name, literal(textOf(`${service}.${rpc}`))] as const,
  );
  const texts = messagesOfRequests(model).flatMap(({ fullName, fields }) => {
    const rows = fields.map(
      ({ jsonName, protoName }) => [jsonName, literal(textOf(`${fullName}.${protoName}`))] as const,
    );
    return rows.length === 0 ? [] : [[fullName, record(rows, '  ')] as const];
  });
  return `${header(source)}
import type { OperationName } from './operations.ts';

/** Summaries of the operations of \`${model.service}\`. */
export const summaries: Readonly<Record<OperationName, string>> = ${record(summaries, '')};

/** Descriptions of fields, by the full name of their message and their own name in JSON. */
export const fieldTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = ${record(texts, '')};
`;
}

/** Returns the messages that requests consist of, in the order of the proto. */
function messagesOfRequests({ messages, operations }: Model): Model['messages'] {
  const found = new Set<string>();
  const visit = (type: string): void => {
    const message = messages.find(({ fullName }) => fullName === type);
    if (!message || found.has(type)) return;
    found.add(type);
    for (const field of message.fields) visit(field.type);
  };
  for (const { request } of operations) visit(request);
  return messages.filter(({ fullName }) => found.has(fullName));
}
