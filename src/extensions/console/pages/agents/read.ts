/** Reads JSON that an agent wrote: values of an unexpected type count as absent. */

type Fields = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const textOf = (value: unknown): string => (['string', 'number', 'boolean'].includes(typeof value) ? `${value}` : '');

const objectsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(objectOf) : []);

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf).filter(Boolean) : []);

/** An item that a card lists: its name, short words about it, and a text. */
interface CardItem {
  readonly name: string;
  readonly tags: readonly string[];
  readonly about: string;
}

/** Reads a card in the form of A2A 1.0, as far as it can be read. Never throws. */
export function readCard(value: unknown) {
  const card = objectOf(value);
  const capabilities = objectOf(card.capabilities);
  const provider = objectOf(card.provider);
  const interfaces = objectsIn(card.supportedInterfaces).map(({ url, protocolBinding, protocolVersion }) => ({
    name: textOf(url),
    tags: [[protocolBinding, protocolVersion].map(textOf).filter(Boolean).join(' ')],
    about: '',
  }));
  const schemes = Object.entries(objectOf(card.securitySchemes)).map(([name, scheme]) => {
    const [kind = '', detail] = Object.entries(objectOf(scheme))[0] ?? [];
    return { name, tags: [kind.replace(/SecurityScheme$/, '')], about: textOf(objectOf(detail).description) };
  });
  const extensions = objectsIn(capabilities.extensions).map(({ uri, required, description }) => ({
    name: textOf(uri),
    tags: required === true ? ['required'] : [],
    about: textOf(description),
  }));
  return {
    name: textOf(card.name),
    version: textOf(card.version),
    description: textOf(card.description),
    /** Name and value of every member that is one text. */
    facts: [
      ['Provider', [provider.organization, provider.url].map(textOf).filter(Boolean).join(', ')],
      ['Documentation', textOf(card.documentationUrl)],
      ['Icon', textOf(card.iconUrl)],
      ['Input', textsOf(card.defaultInputModes).join(', ')],
      ['Output', textsOf(card.defaultOutputModes).join(', ')],
    ] as const,
    /** Names of the capabilities that are true. */
    capabilities: Object.keys(capabilities).filter((name) => capabilities[name] === true),
    skills: objectsIn(card.skills).map((skill) => ({
      id: textOf(skill.id),
      name: textOf(skill.name),
      description: textOf(skill.description),
      tags: textsOf(skill.tags),
      examples: textsOf(skill.examples),
      /** Media types, if they differ from those of the agent. */
      modes: [...textsOf(skill.inputModes), ...textsOf(skill.outputModes)],
    })),
    lists: { Interfaces: interfaces, 'Security schemes': schemes, Extensions: extensions } satisfies Record<
      string,
      CardItem[]
    >,
  };
}

export type ReadSkill = ReturnType<typeof readCard>['skills'][number];
