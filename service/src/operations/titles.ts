/** What an operation of each kind does, at the beginning of its message. */
export const operationTitles = {
  create: 'Creating the server',
  start: 'Starting the server',
  stop: 'Stopping the server',
  restart: 'Restarting the server',
  pause: 'Pausing the server',
  unpause: 'Unpausing the server',
  set_password: 'Setting the password',
  suspend: 'Suspending the server',
  unsuspend: 'Unsuspending the server',
  move: 'Moving the server',
  resize: 'Resizing the server',
  rename: 'Renaming the server',
  delete: 'Deleting the server',
  evacuate: 'Evacuating the node',
  restore: 'Restoring the node',
  declare_lost: 'Giving up the node',
} as const;
