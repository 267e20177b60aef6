import { existsSync, readFileSync } from 'node:fs';

/** A module that cannot be loaded. */
export interface ModuleFault {
  /** Node's message. */
  readonly message: string;
  readonly path: string;
  /** The line of a syntax error, from 1; undefined if it is not known. */
  readonly line: number | undefined;
}

/** Advice about a message of Node; undefined if the message has another reason. `found` has the groups of the pattern. */
interface Advice {
  readonly message: RegExp;
  advise(fault: ModuleFault, found: readonly (string | undefined)[]): string | undefined;
}

const advices: readonly Advice[] = [
  {
    message: /import statement outside a module|Unexpected token 'export'|import\.meta' outside a module/,
    advise: ({ path }) =>
      `Node takes this file for CommonJS, as the package.json next to it or above it says: name it ${moduleName(path)}, or set "type": "module" there`,
  },
  {
    message: /reserved word|Expression expected|Unexpected identifier/,
    advise: (fault) => (/\byield\b/.test(lineOf(fault)) ? 'write `async *execute(…)`, with the asterisk' : undefined),
  },
  {
    message: /is not supported in strip-only mode/,
    advise: () => 'Node only removes types: use JavaScript for it, or compile the file first',
  },
  {
    message: /^Cannot find package '([^']+)'/,
    advise: (_, [name = '']) => `run npm install ${name} in the folder of the file`,
  },
  {
    message: /^Cannot find module '([^']+)'/,
    advise: (_, [wanted = '']) => {
      const extension = ['.ts', '.js', '.mts', '.mjs'].find((one) => existsSync(`${wanted}${one}`));
      return extension && `write the extension in the import: ${nameOf(wanted)}${extension}`;
    },
  },
  {
    message: /export named '([^']+)'/,
    advise: ({ path }, [name = '']) =>
      /\.m?ts$/.test(path) ? `if ${name} is a type, import it as { type ${name} }` : undefined,
  },
  {
    message: /^Unknown file extension|needs an import attribute of "type: json"/,
    advise: () => 'expected a file that ends in .js, .mjs, .ts or .mts',
  },
];

/** Advice for the author of a module that cannot be loaded; undefined if there is none. */
export function adviceAbout(fault: ModuleFault): string | undefined {
  for (const { message, advise } of advices) {
    const found = message.exec(fault.message);
    const advice = found ? advise(fault, found.slice(1)) : undefined;
    if (advice !== undefined) return advice;
  }
  return undefined;
}

const nameOf = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

const moduleName = (path: string): string => nameOf(path).replace(/\.(js|ts)$/, '.m$1');

function lineOf({ path, line }: ModuleFault): string {
  if (line === undefined) return '';
  try {
    return readFileSync(path, 'utf8').split('\n')[line - 1] ?? '';
  } catch {
    return '';
  }
}
