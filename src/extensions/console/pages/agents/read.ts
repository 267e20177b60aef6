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

/** Reads a card in the form of A2A 1.0, as far as it can be read. Never throws. */
export function readCard(value: unknown) {
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
    /** Name and value of everything that is one text. */
    facts: facts.filter(([, text]) => text !== ''),
    /** Names of the capabilities that are true. */
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
      .map((one) => ({ uri: textOf(one.uri), required: one.required === true, description: textOf(one.description) })),
  };
}

export type ReadSkill = ReturnType<typeof readSkill>;

const readSkill = (skill: Fields) => ({
  id: textOf(skill.id),
  name: textOf(skill.name),
  description: textOf(skill.description),
  tags: textsOf(skill.tags),
  examples: textsOf(skill.examples),
  /** Media types, where they differ from those of the agent. */
  modes: [...textsOf(skill.inputModes), ...textsOf(skill.outputModes)],
});
