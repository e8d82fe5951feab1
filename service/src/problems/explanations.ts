import {
  auditedAs,
  auditOf,
  collectionOf,
  identifiersOf,
  type NotFound,
  type Noun,
  nouns,
  wordsOf,
} from '@berth/contract/nouns';
import type { ProblemCode } from './problem.ts';

/** Whether to send the same request again: never, when the cause is gone, or after a pause. */
export type Retry = 'no' | 'after_change' | 'later';

/**
 * The cause of an error, what to do about it, and whether the same request may succeed later. Words
 * in `…` are code.
 */
export type Explanation = readonly [when: string, action: string, retry: Retry];

/** One line per code. Every code must have a line, except those that are the same for every noun. */
// biome-ignore format: one line per code, however long
const lines = {
  // The request can't be understood.
  malformed_request: ['The body is not valid JSON or not a valid form, a header or the URL is invalid, or the request was not received in time.', 'Correct the client. `detail` names the part that is invalid.', 'no'],
  invalid_cursor: ['The `cursor` was not issued by this list, or was used with another `sort` or another filter.', 'Start again without `cursor`, and follow the `next` link of the header `Link` unchanged.', 'no'],
  events_gone: ['The event that is to be sent again, or after which events were requested, by `after` or `Last-Event-ID`, is older than those that are kept (30 days), or is unknown because the database was restored.', 'List the servers, operations or nodes anew, and then request the events from now on, without `after` and `Last-Event-ID`. `after=0` returns all events that are kept.', 'no'],
  body_too_large: ['The body is larger than 256 KiB, or has too many values or parts.', 'Send a smaller body. For a long initial command, send one that downloads a script.', 'no'],
  headers_too_large: ['The headers and the URL together are larger than 16 KiB, or there are too many headers.', 'Send fewer cookies and headers.', 'no'],
  unsupported_media_type: ['The body is not JSON, `application/x-www-form-urlencoded` or `multipart/form-data`, is compressed, or is not encoded in UTF-8.', 'Set `Content-Type` to the media type of the body, and send the body uncompressed.', 'no'],
  validation_failed: ['Some values of the request are not allowed.', 'Correct each value that `errors` names: fields of the body by `pointer`, a JSON pointer, and query parameters by `parameter`.', 'no'],
  not_acceptable: ['The header `Accept` excludes the media type of the response.', 'Omit `Accept`, or include the media type that `detail` names.', 'no'],
  method_not_allowed: ['The path exists, and does not support this method.', 'Use one of the methods that the header `Allow` lists.', 'no'],
  websocket_required: ['The path of a console was requested in another way than by a WebSocket of the subprotocol `berth.console.v1`.', 'Open the `url` of `POST /v1/servers/{id}/console` with a WebSocket. A proxy in between must pass on the headers `Connection` and `Upgrade`.', 'no'],
  misdirected_request: ['The host name of the request is not one of the names of this service.', 'Use the name that the operator gave you. Operators: add names to `BERTH_ALLOWED_HOSTS`.', 'no'],
  webhook_delivery_not_found: ['The webhook has no delivery with this ID, or the delivery is no longer kept (30 days).', 'List the deliveries with `GET /v1/webhooks/{id}/deliveries`.', 'no'],
  // Authentication and authorisation.
  token_missing: ['The request has neither a token nor a session.', 'Send `Authorization: Bearer berth_…`, or sign in.', 'no'],
  token_malformed: ['The value that was sent is not a complete token: its checksum does not match.', 'Copy the whole token again.', 'no'],
  token_invalid: ['The token does not exist, or was revoked.', 'Use another token. `GET /v1/whoami` returns what a token allows.', 'no'],
  token_expired: ['The token has passed its expiry time.', 'Create a new token.', 'no'],
  session_ended: ['The user has signed out of the session, or the session has expired or does not exist.', 'Sign in again.', 'no'],
  sign_in_failed: ['The email address, the password, the passkey or the answer of the OpenID provider does not match a user who may sign in. The response does not say which.', 'Try again with other credentials, or ask an administrator for a new password. The number of failed attempts is limited.', 'no'],
  scope_missing: ['The token or the role does not allow this request.', 'Use a token with the scope that the header `WWW-Authenticate` names. In a session, ask an owner of the project for the role; if the scope is `admin`, ask an administrator.', 'no'],
  network_not_allowed: ['The token is restricted to networks (`allowed_networks`), and the request comes from another one.', 'Send the request from an allowed network. `GET /v1/whoami` returns the `address` that requests come from.', 'no'],
  person_required: ['The request requires a session, and was made with a token.', 'Sign in, and send the request in the session.', 'no'],
  owner_required: ['Only administrators, and owners of the project in a session, can do this. A token of an owner cannot.', 'Send the request in the session of an owner, or ask one. A token needs the scope `admin`.', 'no'],
  confirmation_required: ['The request gives lasting access or takes it away, and the sign-in or the last confirmation of the session is more than ten minutes ago.', 'Confirm your identity with `POST /v1/session/confirm`, then send the request again.', 'after_change'],
  csrf_failed: ['A request in a session, other than GET and HEAD, lacks the header `Berth-CSRF`, or was sent by a page of another site. Dry runs need the header, too.', 'Send the `csrf_token` of `GET /v1/session` in the header `Berth-CSRF`.', 'no'],
  authorization_pending: ['Nobody has approved or denied the request of the program for a token yet.', 'Send the request again after the `interval` seconds of `POST /v1/device-authorizations`.', 'later'],
  authorization_denied: ['The person has denied the program a token.', 'Ask the person, and begin again with `POST /v1/device-authorizations`.', 'no'],
  device_code_invalid: ['The `device_code` was not issued, is more than ten minutes old, or its token was fetched already.', 'Begin again with `POST /v1/device-authorizations`.', 'no'],
  user_code_not_found: ['No program waits with this code: it was mistyped, is more than ten minutes old, or somebody has approved or denied it.', 'Compare it with the code that the program shows, or have the program begin again.', 'no'],
  // Limits.
  quota_exceeded: ['The request would exceed the quota of the project, or its maximum number of tokens, SSH keys or webhooks.', 'Delete what is not needed, request less, or ask an administrator for a larger quota.', 'after_change'],
  rate_limited: ['The token, the IP address or the user has sent too many requests, the project has made too many changes, or too many of its reads are in progress at once. Nothing was done.', 'Wait for `Retry-After` seconds, and send fewer requests at once. `RateLimit` says how many requests or changes are left.', 'later'],
  traffic_exceeded: ['The server has used up its traffic allowance, and its location stops such servers.', 'Start the server in the next month (UTC), or ask an administrator for a larger allowance. To resize it, wait until it has been stopped.', 'after_change'],
  // Objects that do not exist. What belongs to another project is not found, either.
  not_found: ['There is nothing at this path.', 'Compare the path with the API reference at `/docs`.', 'no'],
  project_not_found: ['No project has this ID or name, or you are not a member of it.', 'List your projects with `GET /v1/projects`. The header `Berth-Project` selects one.', 'no'],
  passkey_not_found: ['You have no passkey with this ID.', 'List your passkeys with `GET /v1/passkeys`.', 'no'],
  member_not_found: ['The user is not a member of the project, or no user has this email address.', 'List the members with `GET /v1/projects/{id}/members`.', 'no'],
  server_not_found: ['The project has no server with this ID, name or UUID, or the server was deleted.', 'List the servers with `GET /v1/servers`. Administrators: if another project has the server, `detail` says which; name it in the header `Berth-Project`.', 'no'],
  node_not_found: ['No node has this name, or none at the location that was given.', 'List the nodes with `GET /v1/nodes`.', 'no'],
  drift_not_found: ['No drift record has this ID, or the difference no longer exists.', 'List the drift records with `GET /v1/drift`.', 'no'],
  console_not_found: ['The ticket in the path is unknown, was used before, or has expired, or its server was deleted.', 'Request another one with `POST /v1/servers/{id}/console`, and open its `url` within 30 seconds.', 'no'],
  output_not_found: ['The operation has no command with this index, or its output was removed.', 'Get the operation. `output_note` of the command says why its output was removed.', 'no'],
  operation_not_found: ['The project has no operation with this ID, or the operation was removed at the end of its retention period.', 'List the operations with `GET /v1/operations`.', 'no'],
  // The state of an object does not allow the request.
  project_in_use: ['The project has servers, or cannot be deleted because your token or the installation depends on it.', 'Delete its servers first, or use a token of another project.', 'after_change'],
  ambiguous_name: ['Several objects have the name that was given instead of an ID.', 'Send the request again with one of the IDs that `candidates` lists.', 'no'],
  name_taken: ['Another object of the same kind has this name.', 'Choose another name.', 'no'],
  ssh_key_exists: ['The project has the same public key under this or another name.', 'Use the SSH key that `detail` names.', 'no'],
  size_in_use: ['Servers have the size, or are being resized to it.', 'Set `deprecated`, and delete the size when no server has it.', 'after_change'],
  address_pool_in_use: ['Servers have addresses of the pool.', 'Disable the pool, and delete it when its servers are gone.', 'after_change'],
  address_pool_overlaps: ['Another pool contains some of the same addresses. An address can be in one pool of the installation only.', 'Choose another subnet.', 'no'],
  email_taken: ['Another user has this email address.', 'Use another email address, or update that user.', 'no'],
  setup_closed: ['The first administrator cannot be made in the browser: the installation has had a user, or the code has expired.', 'Sign in, and add users as an administrator. If there is no user yet, restart the service, which makes another code, or run `npm run user -- create --email EMAIL --admin`.', 'after_change'],
  own_account: ['Administrators cannot delete, demote or disable themselves.', 'Ask another administrator.', 'no'],
  already_member: ['The user is already a member of the project.', 'To change the role of the member, use `PUT /v1/projects/{id}/members/{user_id}`.', 'no'],
  last_owner: ['The project would have no owner left. This also applies to requests of administrators.', 'Make another member an owner first.', 'after_change'],
  server_not_stopped: ['Only a stopped server can be started, and some servers can only be resized while they are stopped.', 'After a start: if `status` of the server is `started`, nothing has to be done. After a resize: stop the server, and send the request again. `allowed_actions` of the server lists what it accepts now.', 'after_change'],
  protected: ['The server is protected against this action.', 'End the protection with `protection` of `PATCH /v1/servers/{id}`, then send the request again.', 'after_change'],
  drift_not_adoptable: ['The drift is of a server, or the instance has something that a server cannot have, or was changed meanwhile.', 'Read `detail`, and `obstacles` of the drift record. Change the instance in the engine, and wait until the record shows it.', 'after_change'],
  drift_not_repairable: ['The instance is missing, or belongs to no server, so nothing can be put back.', 'Read `detail`. Rebuild or delete the server of a missing instance; adopt, delete or forget an unknown instance.', 'no'],
  password_not_settable: ['The password can only be set while the server is started or stopped.', 'Unpause the server, or wait until it is started or stopped. If its `status` is `error`, rebuild it. `allowed_actions` of the server lists what it accepts now.', 'after_change'],
  too_many_consoles: ['The server has four open consoles, which is the maximum. A console that was requested counts until its ticket expires.', 'Close one of them.', 'after_change'],
  server_not_paused: ['Only a paused server can be unpaused.', 'If `status` of the server is `started`, it need not be unpaused. Otherwise `allowed_actions` of the server lists what it accepts now.', 'after_change'],
  server_not_suspended: ['Only a suspended server can be unsuspended.', 'Nothing: `suspension` of the server is null.', 'no'],
  suspended: ['An administrator has suspended the server. `detail` has the reason.', 'Remove the cause, or ask the operator. Until then the server can be deleted, and stopped if it is still running, but nothing else.', 'after_change'],
  server_not_running: ['Only a running server can be stopped, restarted or paused.', 'If `status` of the server is `stopped`, it need not be stopped. If it is `paused`, unpause the server first, or stop it with `force`. Otherwise `allowed_actions` of the server lists what it accepts now.', 'after_change'],
  server_not_movable: ['Only servers with the status `started` or `stopped` can be moved.', 'Start, stop or repair the server first.', 'after_change'],
  server_not_resizable: ['Only servers with the status `started` or `stopped` can be resized.', 'Unpause, stop or repair the server first.', 'after_change'],
  server_not_renamable: ['Only servers with the status `started` or `stopped`, and those that have no instance yet, can be renamed.', 'Start, stop or repair the server first.', 'after_change'],
  server_not_failed: ['Only servers whose creation failed can be retried.', 'If `status` of the server is `error`, it failed later: rebuild it if `allowed_actions` lists that, or delete it. Otherwise nothing has to be done, because the server exists.', 'no'],
  server_on_node: ['The server is already on the node that it should be moved to.', 'Choose another node.', 'no'],
  retry_expired: ['The creation failed more than 24 hours ago, and its password, SSH keys, user data and initial commands are no longer kept.', 'Rebuild the server with another request, or delete it.', 'no'],
  operation_in_progress: ['Another operation on the server or the node is in progress. `operation` names it.', 'Wait for `Retry-After` seconds, or until that operation has ended.', 'later'],
  operation_ended: ['The operation that was to be cancelled has ended. `operation` has its outcome.', 'Nothing. To undo what it did, request the opposite.', 'no'],
  not_cancellable: ['The operation has had an effect already, cannot be cancelled, such as a delete, or is on a node.', 'Wait until it has ended. If it waits for a node that does not answer, send the request again. A server can be deleted, or stopped with `force`, while most operations are in progress.', 'no'],
  node_offline: ['The node cannot be reached, or is out of service.', 'Choose another node, or bring this one back.', 'after_change'],
  node_answers: ['A node can be declared lost only while it cannot be reached.', 'Switch the machine off first.', 'after_change'],
  location_unreachable: ['The engine of the location cannot be reached, so the state of its nodes is unknown.', 'Wait until `reachable` of `GET /v1/locations/{id}` is `true`.', 'later'],
  not_clustered: ['The node is the only one of its location, so its servers cannot be moved.', 'Add nodes to the location, by making its Incus server a cluster.', 'no'],
  no_address_left: ['All IP addresses of the location are assigned.', 'Choose another location, delete servers, or ask an administrator for another address pool.', 'after_change'],
  no_capacity: ['No node has enough free CPU cores, memory or disk space. `lacking` says what is missing, and `excluded` why nodes were excluded.', 'Request a smaller server, choose another location, or ask an administrator for another node.', 'after_change'],
  idempotency_in_progress: ['The first request with this `Idempotency-Key` is still being processed.', 'Send the same request again after `Retry-After` seconds.', 'later'],
  idempotency_mismatch: ['The `Idempotency-Key` was used for another request in the last 24 hours.', 'Use a new key for each request, and the same key only to send a request again.', 'no'],
  // Faults of the service.
  internal_error: ['The service has a fault. It is not known whether the request was carried out.', 'Check whether it was, or send it again with the same `Idempotency-Key`. Report the `request_id` to the operator.', 'later'],
  unavailable: ['The service cannot reach its database or another service that it needs, or is overloaded.', 'Send the request again after `Retry-After` seconds, and changes with the same `Idempotency-Key`.', 'later'],
  query_timeout: ['The database took longer than 10 seconds to read the answer.', 'Request less: a smaller `limit`, a shorter period (`from`, `to`), fewer filters at once, or no `Prefer: count=exact`. If small requests fail, too, the database is overloaded: send the request again after `Retry-After` seconds.', 'later'],
  // Operations that failed.
  drift_left: ['Something that was changed in the engine can only be put back there, or with another request.', 'Read `detail`, which says what is left and what to do about it.', 'after_change'],
  guest_ignored_shutdown: ['The guest did not shut down in time. The server is still running.', 'Stop the server with `force`, which cuts its power.', 'later'],
  guest_paused: ['The server is paused, so its guest cannot shut down.', 'Unpause the server, or stop it with `force`.', 'no'],
  guest_report_replaced: ['The guest replaced the file in which it reports the progress of its creation.', 'Check your initial commands and the image, then delete the server and create it again.', 'no'],
  guest_report_unreadable: ['The file in which the guest reports the progress of its creation could not be read.', 'Delete the server and create it again. If that fails too, ask the operator.', 'no'],
  image_server_not_allowed: ['The image server of the operating system is not one that the operator allows. A creation is refused, or fails if the operator has changed this since the request.', 'Choose another operating system, or ask the operator to allow it (`BERTH_IMAGE_SERVERS`).', 'after_change'],
  image_server_unreachable: ['The image could not be downloaded.', 'Retry the creation with `POST /v1/servers/{id}/retry`, or send the rebuild again. Operators: check the connection from the node to the image server.', 'later'],
  initialisation_failed: ['The root password, the SSH keys or the settings of the SSH server could not be set in the guest, often because its disk is full.', 'Create the server with a larger disk. If that fails too, choose another operating system.', 'no'],
  instance_missing: ['The instance of the server no longer exists in the engine, because somebody deleted it there.', 'Rebuild the server, which creates it again without its data, or delete it.', 'no'],
  memory_in_use: ['The server uses more memory than it would have.', 'Free memory in the guest, request more, or stop the server first. `detail` has the figures.', 'after_change'],
  not_a_member: ['The node is no longer a member of its cluster.', 'List the nodes again.', 'no'],
  operation_cancelled: ['A request has cancelled the operation before it had an effect.', 'Send the request again if it is still needed.', 'no'],
  operation_superseded: ['Another operation, such as a delete, a forced stop or a suspension, took the place of this one.', 'Get the server, and send the request again if it is still needed.', 'no'],
  password_not_set: ['The guest could not set the password of root, its disk has no ordinary `/etc/shadow`, or the disk is full. The previous password is still valid.', 'Read `detail`. If the server is running, stop it and set the password then; if it is stopped, start it first.', 'after_change'],
  password_unconfirmed: ['The guest was asked to set the password of root, and did not confirm that it has.', 'Try the new password and the previous one, or set it again. `detail` says what happened.', 'later'],
  rename_incomplete: ['The running guest did not take over its new name, which is in its files.', 'Restart the server, or send the request again.', 'after_change'],
  secrets_unreadable: ['The password, the SSH keys, the user data and the initial commands cannot be decrypted, because the secret key was replaced. The same applies to the secrets of a webhook.', 'After a creation, rebuild the server with another request, or delete it. For a password, set it again. For a webhook, rotate its secret first.', 'no'],
  servers_left: ['Some servers could not be moved off the node. `servers` of the operation lists them with the reasons.', 'Remove the causes, then send the request again. It continues with the remaining servers.', 'after_change'],
  disk_left: ['The instance was deleted, but the engine could not delete its disk. The server keeps its IP addresses until the disk is deleted.', 'Delete the server again, or retry its rebuild. Operators: the log of the service says why the engine refuses; see "A disk without a server" in docs/operations.md.', 'after_change'],
  address_in_use: ['Another instance in the engine uses an IP address of the server.', 'Delete the server and create it again. It gets other addresses.', 'after_change'],
  engine_already_exists: ['The engine already has an object with this name.', 'Ask the operator, who finds details in the log.', 'after_change'],
  engine_evacuate_failed: ['The engine could not take the node out of service.', 'Read `detail`, solve the problem on the node, and evacuate it again.', 'after_change'],
  engine_failed: ['The engine reported an error.', 'Send the request again. If it fails again, ask the operator, who finds details in the log.', 'later'],
  engine_forbidden: ['The engine denied the request of Berth.', 'Ask the operator, who has to restore the trust between Berth and the engine.', 'after_change'],
  engine_invalid: ['The engine rejected the request of Berth as invalid.', 'Ask the operator, who finds details in the log.', 'no'],
  engine_not_found: ['The engine lacks an object that the operation needs, such as its storage pool or network.', 'Ask the operator, who finds details in the log.', 'after_change'],
  engine_restore_failed: ['The engine could not put the node back into service.', 'Read `detail`, solve the problem on the node, and restore it again.', 'after_change'],
  migration_failed: ['The engine could not move the server. The server is where it was.', 'Read `detail`, and move the server to another node or ask the operator.', 'later'],
  not_paused: ['The server stopped before it could be paused, or the kernel of its node cannot freeze it.', 'Get the server. If it is running, ask the operator whether the kernel of the node supports freezing.', 'after_change'],
  not_started: ['The server was started, and stopped again at once.', 'Start the server again. If it stops again, ask the operator for the output of its console.', 'later'],
  not_unpaused: ['The server stopped before it could continue, so its memory is lost.', 'Start the server.', 'no'],
  operation_failed: ['The operation failed for a reason that has no code of its own.', 'Read `detail`, which says what failed.', 'later'],
  deadline_exceeded: ['The operation did not end before its deadline, and was given up. `detail` says what happened last.', 'Get the server, and send the request again.', 'later'],
  engine_busy: ['The engine was busy with another task on the same server.', 'Send the request again in a moment.', 'later'],
  engine_no_space: ['The engine has no space left for the request.', 'Ask the operator for space, or choose another location.', 'after_change'],
  engine_timeout: ['The engine did not answer in time.', 'Send the request again in a moment.', 'later'],
  engine_unreachable: ['The engine could not be reached.', 'Send the request again when `reachable` of `GET /v1/locations/{id}` is `true`.', 'later'],
  no_space: ['The storage pool of the node is full.', 'Retry the creation with `POST /v1/servers/{id}/retry` when there is space, or delete the server and create it at another location.', 'after_change'],
  unknown_step: ['The operation was started by a release of Berth that this release does not know.', 'Send the request again. Operators: run the newer release.', 'later'],
} as const satisfies Lines;

type Lines = Record<Exclude<ProblemCode, NotFound>, Explanation> &
  Partial<Record<NotFound, Explanation>>;

/** The explanation of each code of `problem.ts` at `/docs/errors`. */
export const explanations: Readonly<Record<ProblemCode, Explanation>> = {
  ...(Object.fromEntries(nouns.map((noun) => [`${noun}_not_found`, noSuch(noun)])) as Record<
    NotFound,
    Explanation
  >),
  ...lines,
};

/** The explanation that is the same for every noun. */
function noSuch(noun: Noun): Explanation {
  const words = wordsOf(noun);
  const kind = auditedAs(noun);
  const isOfProject = kind !== undefined && auditOf(kind).in === 'project';
  const when = isOfProject ? `The project has no ${words} with` : `No ${words} has`;
  const action = `List the ${words}s with \`GET /v1/${collectionOf(noun)}\`.`;
  return [`${when} this ${identifiersOf(noun)}.`, action, 'no'];
}
