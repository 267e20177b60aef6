import { type Command, Option } from 'commander';
import type { Output } from '../output.ts';
import { stateWords } from '../render.ts';
import {
  example,
  exitCodes,
  integer,
  lazy,
  repeated,
  withAgent,
  withConnection,
  withOut,
  withTarget,
} from './options.ts';

/** Adds the commands that call an agent or a gateway: `send`, `call`, `task`, `agents`, `card`, `doctor`, `mcp` and `tools`. */
export function addCalling(program: Command, output: Output): void {
  for (const add of [addSend, addCall, addTask, addAgents, addCard, addDoctor, addMcp, addTools]) {
    add(program, output);
  }
}

function addSend(program: Command, output: Output): void {
  withOut(withTarget(program.command('send')))
    .description('send a message and print the answer; - as the text reads it from stdin')
    .argument('[text]', 'text of the message; - reads it from stdin')
    .option('--stream', 'print the answer while it arrives')
    .option('--task <id>', 'continue this task')
    .option('--context <id>', 'send the message in this context')
    .option('--file <path>', 'attach a file (may be repeated)', repeated)
    .option('--data <json>', 'attach data (may be repeated)', repeated)
    .option('--no-wait', 'do not wait for the task to end')
    .addHelpText(
      'after',
      example("send http://localhost:8080 'stream 5' --stream", 'send http://localhost:8080 - < message.txt'),
    )
    .addHelpText('after', exitCodes)
    .action(lazy(() => import('../commands/send.ts'), 'send', output));
}

function addCall(program: Command, output: Output): void {
  withTarget(program.command('call'))
    .description('call any operation of A2A with a request in JSON, and print the answer')
    .argument('<operation>', 'name of the operation, such as GetTask')
    .argument('[request]', 'the request; - reads it from stdin', '{}')
    .addHelpText('after', example(`call http://localhost:8080 ListTasks '{"pageSize":5}'`))
    .action(lazy(() => import('../commands/call.ts'), 'call', output));
}

function addTask(program: Command, output: Output): void {
  const task = program.command('task').description('show, list, answer, cancel and follow tasks');
  for (const [name, description] of [
    ['get', 'show a task'],
    ['cancel', 'cancel a task'],
    ['watch', 'follow a task to its end'],
  ] as const) {
    const command = withTarget(task.command(name));
    if (name !== 'cancel') withOut(command);
    command
      .description(description)
      .argument('<id>', "the task's id")
      .addHelpText('after', example(`task ${name} http://localhost:8080 0198c5f4-7d3e-7a61-9a4e-3d1f0c2b5e77`))
      .action(lazy(() => import('../commands/task.ts'), name, output));
  }
  withOut(withTarget(task.command('answer')))
    .description('answer the question of a waiting task, and print the result')
    .argument('<id>', "the task's id")
    .argument('[text]', 'the answer; - reads it from stdin; approve or deny for a call that waits for people to agree')
    .option('--data <json>', 'answer with data, if the question has a JSON Schema (may be repeated)', repeated)
    .addHelpText(
      'after',
      example(
        "task answer http://localhost:8080 0198c5f4-7d3e-7a61-9a4e-3d1f0c2b5e77 'two seats'",
        `task answer http://localhost:8080 0198c5f4-7d3e-7a61-9a4e-3d1f0c2b5e77 deny --data '{"reason":"too much"}'`,
      ),
    )
    .addHelpText('after', exitCodes)
    .action(lazy(() => import('../commands/task.ts'), 'answer', output));
  withTarget(task.command('list'))
    .description('list tasks, newest first')
    .addOption(new Option('--state <state>', 'only tasks in this state').choices(stateWords))
    .option('--context <id>', 'only tasks of this context')
    .option('--limit <n>', 'maximum number of tasks', integer(1, 100_000), 50)
    .addHelpText('after', example('task list http://localhost:8080 --state working'))
    .action(lazy(() => import('../commands/task.ts'), 'list', output));
}

function addAgents(program: Command, output: Output): void {
  withConnection(program.command('agents'))
    .description('list the agents of a gateway')
    .argument('<target>', 'base URL of the gateway')
    .option('--json', 'print JSON')
    .addHelpText('after', example('agents http://localhost:8080'))
    .action(lazy(() => import('../commands/agents.ts'), 'agents', output));
}

function addCard(program: Command, output: Output): void {
  withTarget(program.command('card'))
    .description("show an agent's card, in any dialect, and the bindings that it lists")
    .option('--jwks <place>', 'URL or file of the trusted keys; fails unless one of them has signed the card')
    .addHelpText(
      'after',
      example(
        'card http://localhost:8080',
        'card https://agents.example.com --jwks https://agents.example.com/.well-known/jwks.json',
      ),
    )
    .action(lazy(() => import('../commands/card.ts'), 'card', output));
}

function addDoctor(program: Command, output: Output): void {
  withTarget(program.command('doctor'))
    .description(
      'probe every dialect and binding of an agent, and report which work and why others do not; sends no message',
    )
    .addHelpText('after', example('doctor http://localhost:8080'))
    .action(lazy(() => import('../commands/doctor.ts'), 'doctor', output));
}

function addMcp(program: Command, output: Output): void {
  withAgent(program.command('mcp'))
    .description('serve the skills of agents as MCP tools over stdin and stdout, for editors and assistants')
    .argument(
      '[targets...]',
      'base URLs of agents, or of a gateway for all its agents (default: http://localhost:8080)',
    )
    .addHelpText('after', example('mcp http://localhost:8080'))
    .action(lazy(() => import('../commands/mcp.ts'), 'mcp', output));
}

function addTools(program: Command, output: Output): void {
  withConnection(program.command('tools'))
    .description('list the MCP tools of a gateway, or call one')
    .argument('<target>', 'base URL of a gateway, or of one of its agents')
    .argument('[name]', 'tool to call')
    .option('--args <json>', 'arguments of the tool, a JSON object')
    .option('--json', 'print JSON')
    .addHelpText('after', example(`tools http://localhost:8080 send_message --args '{"message":"hello"}'`))
    .action(lazy(() => import('../commands/tools.ts'), 'tools', output));
}
