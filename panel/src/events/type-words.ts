import { isProjectType, type WebhookType } from './types.ts';

interface Words {
  name: string;
  /** When such an event is written, as in the contract. */
  when: string;
}

/** The types of events that a project has. */
export const typeWords: Record<WebhookType, Words> = {
  'server.created': {
    name: 'Server requested',
    when: 'A server was requested, and is being created.',
  },
  'server.creating': {
    name: 'Server created anew',
    when: 'A retry or a rebuild creates the server anew.',
  },
  'server.started': { name: 'Server started', when: 'The server runs.' },
  'server.stopped': {
    name: 'Server stopped',
    when: 'The server no longer runs, or was created and has not been started.',
  },
  'server.paused': { name: 'Server paused', when: 'The server was frozen.' },
  'server.failed': {
    name: 'Server failed',
    when: 'The server cannot be used, and `error` says why.',
  },
  'server.deleting': { name: 'Server being deleted', when: 'The server is being deleted.' },
  'server.deleted': { name: 'Server deleted', when: 'The server was deleted.' },
  'server.updated': {
    name: 'Server changed',
    when: 'Something about the server other than its `status` has changed.',
  },
  'operation.created': { name: 'Operation requested', when: 'An operation was requested.' },
  'operation.progress': {
    name: 'Operation in progress',
    when: 'The operation began, went on, waits or is retried. The end of a wait is told with the next message or progress.',
  },
  'operation.ended': {
    name: 'Operation ended',
    when: 'The operation ended: it succeeded, failed, or was superseded or cancelled.',
  },
  'usage.allowance_reached': {
    name: 'Traffic allowance reached',
    when: 'A server has used 80 or 100 percent of its traffic allowance of a month.',
  },
  'webhook.paused': {
    name: 'Webhook paused',
    when: 'Berth has stopped delivering to a webhook, because its receiver fails. Other webhooks get this event.',
  },
};

/** The name of a type. A later release of the service may have other types. */
export const nameOf = (type: string): string => (isProjectType(type) ? typeWords[type].name : type);
