/** Id of MCP's tasks extension (SEP-2663). */
export const tasksExtension = 'io.modelcontextprotocol/tasks';
