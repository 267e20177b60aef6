/** A suite that the authors of a protocol publish, as a command of the project. */
interface SuiteCommand {
  /** The program, from this folder. `npm run conformance:NAME` runs it too. */
  readonly path: string;
  /** Description of what the suite tests. */
  readonly tries: string;
  /** Requirements of the machine, besides the checkout and npm's packages. */
  readonly needs: string;
}

/** The suites by their names. */
export const suites: Readonly<Record<string, SuiteCommand>> = {
  acts: { path: 'acts/main.ts', tries: "A2A's conformance specification", needs: 'git' },
  dummy: { path: 'dummy/main.ts', tries: 'the portable contracts of dummy-a2a', needs: 'Python 3' },
  itk: { path: 'itk/main.ts', tries: 'the scenarios of a2a-itk', needs: 'git' },
  tck: { path: 'tck/main.ts', tries: 'the kits of A2A 1.0 and 0.3', needs: 'git, Python 3.11' },
  rpc: { path: 'rpc/main.ts', tries: 'framing of Connect, gRPC and gRPC-Web', needs: 'Go' },
  mcp: { path: 'mcp/main.ts', tries: 'MCP as server and as client', needs: 'nothing' },
  protobuf: { path: 'protobuf/main.ts', tries: "protobuf's codec", needs: 'Python 3' },
  h2spec: { path: 'h2spec/main.ts', tries: 'HTTP/2', needs: 'Go' },
  schemathesis: { path: 'schemathesis/main.ts', tries: '/openapi.json', needs: 'Python 3' },
};
