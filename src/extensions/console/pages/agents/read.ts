/** Reads JSON that an agent wrote: what is not of the expected type counts as absent. */

export type Fields = Readonly<Record<string, unknown>>;

export const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textsOf = (value: unknown): string[] =>
  listOf(value)
    .map(textOf)
    .filter((text) => text !== '');

/** A card in the form of A2A 1.0, as far as it can be read. */
export interface ReadCard {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Name and value of everything that is one text. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Names of the capabilities that are true. */
  readonly capabilities: readonly string[];
  readonly interfaces: readonly { readonly url: string; readonly binding: string; readonly version: string }[];
  readonly skills: readonly ReadSkill[];
  readonly schemes: readonly { readonly name: string; readonly kind: string; readonly description: string }[];
  readonly extensions: readonly { readonly uri: string; readonly required: boolean; readonly description: string }[];
}

export interface ReadSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples: readonly string[];
  /** Media types, where they differ from those of the agent. */
  readonly modes: readonly string[];
}

/** Reads a card. Never throws. */
export function readCard(value: unknown): ReadCard {
  const card = objectOf(value);
  const capabilities = objectOf(card.capabilities);
  const provider = objectOf(card.provider);
  const facts: [string, string][] = [
    ['Provider', [provider.organization, provider.url].map(textOf).filter(Boolean).join(', ')],
    ['Documentation', textOf(card.documentationUrl)],
    ['Icon', textOf(card.iconUrl)],
    ['Input', textsOf(card.defaultInputModes).join(', ')],
    ['Output', textsOf(card.defaultOutputModes).join(', ')],
  ];
  return {
    name: textOf(card.name),
    version: textOf(card.version),
    description: textOf(card.description),
    facts: facts.filter(([, text]) => text !== ''),
    capabilities: Object.entries(capabilities).flatMap(([name, on]) => (on === true ? [name] : [])),
    interfaces: listOf(card.supportedInterfaces)
      .map(objectOf)
      .map((one) => ({
        url: textOf(one.url),
        binding: textOf(one.protocolBinding),
        version: textOf(one.protocolVersion),
      })),
    skills: listOf(card.skills).map(objectOf).map(readSkill),
    schemes: Object.entries(objectOf(card.securitySchemes)).map(([name, scheme]) => {
      const [kind = '', detail] = Object.entries(objectOf(scheme))[0] ?? [];
      return { name, kind: kind.replace(/SecurityScheme$/, ''), description: textOf(objectOf(detail).description) };
    }),
    extensions: listOf(capabilities.extensions)
      .map(objectOf)
      .map((one) => ({
        uri: textOf(one.uri),
        required: one.required === true,
        description: textOf(one.description),
      })),
  };
}

const readSkill = (skill: Fields): ReadSkill => ({
  id: textOf(skill.id),
  name: textOf(skill.name),
  description: textOf(skill.description),
  tags: textsOf(skill.tags),
  examples: textsOf(skill.examples),
  modes: [...textsOf(skill.inputModes), ...textsOf(skill.outputModes)],
});
