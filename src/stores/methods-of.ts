type Method = (...parameters: unknown[]) => Promise<unknown>;

/** Some methods of a part, each of which runs inside `around`. */
export function methodsOf<Part, Name extends keyof Part>(
  around: (use: (part: Part) => Promise<unknown>) => Promise<unknown>,
  ...names: Name[]
): Pick<Part, Name> {
  const methods = names.map((name): [Name, Method] => [
    name,
    (...parameters) => around((part) => (part as Record<Name, Method>)[name](...parameters)),
  ]);
  return Object.fromEntries(methods) as Pick<Part, Name>;
}
