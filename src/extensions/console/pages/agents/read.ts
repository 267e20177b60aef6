/** Reads JSON that an agent wrote: values of an unexpected type count as absent. */

type Fields = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const textOf = (value: unknown): string => (['string', 'number', 'boolean'].includes(typeof value) ? `${value}` : '');

const objectsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(objectOf) : []);

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf).filter(Boolean) : []);

/** Reads a card in the form of A2A 1.0, as far as it can be read. Never throws. */
export function readCard(value: unknown) {
  const card = objectOf(value);
  const capabilities = objectOf(card.capabilities);
  return {
    name: textOf(card.name),
    version: textOf(card.version),
    description: textOf(card.description),
    /** Names of the capabilities that are true. */
    capabilities: Object.keys(capabilities).filter((name) => capabilities[name] === true),
    skills: objectsIn(card.skills).map(({ id, name, description, tags }, at) => ({
      key: `${at} ${textOf(id).slice(0, 100)}`,
      id: textOf(id),
      name: textOf(name),
      description: textOf(description),
      tags: textsOf(tags).join(', '),
    })),
  };
}

export type ReadSkill = ReturnType<typeof readCard>['skills'][number];
