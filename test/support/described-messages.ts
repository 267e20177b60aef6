import type { Image } from '../../codegen/image.ts';
import { describeFiles } from '../../codegen/model.ts';
import type { Overlay } from '../../codegen/overlay.ts';
import type { Api, FieldTables } from '../../src/gen/api.ts';
import { issuesOf } from '../../src/wire/validate.ts';

/** An overlay that says nothing. */
export const noOverlay: Overlay = {
  extraRules: [],
  paths: [],
  meanings: [],
  requiredOneofs: [],
  mayBeEmpty: [],
  added: [],
  disagreements: [],
};

/** Facts about messages for the codec and the validator, made of descriptors at run time. */
export type Described = Omit<Api, 'package' | 'service' | 'operations'>;

/** @param files those that declare the messages, and messages of other packages that their fields have */
export function describeMessages(image: Image, files: readonly string[]): Described {
  const { messages, enums } = describeFiles(image, files, noOverlay);
  const fields: FieldTables = {
    messages: Object.fromEntries(messages.map((message) => [message.fullName, message])),
    enums: Object.fromEntries(
      enums.map(({ fullName, values }) => [
        fullName,
        Object.fromEntries(values.map(({ name, number }) => [name, number])),
      ]),
    ),
  };
  const isOne = (type: string) => (value: unknown) => issuesOf({ fields }, type, value).length === 0;
  const guards = Object.fromEntries(Object.keys(fields.messages).map((type) => [type, isOne(type)]));
  return { fields, guards };
}
