// Generated from contract/openapi.json by `npm run openapi`.

import { BerthError } from '../errors.ts';

/** Address is used by another instance. */
export class AddressInUseError extends BerthError {
  declare readonly code: 'address_in_use';
}

/** Address pool is in use. */
export class AddressPoolInUseError extends BerthError {
  declare readonly code: 'address_pool_in_use';
}

/** Address pool not found. */
export class AddressPoolNotFoundError extends BerthError {
  declare readonly code: 'address_pool_not_found';
}

/** Address pool overlaps another. */
export class AddressPoolOverlapsError extends BerthError {
  declare readonly code: 'address_pool_overlaps';
}

/** Already a member. */
export class AlreadyMemberError extends BerthError {
  declare readonly code: 'already_member';
}

/** Name is ambiguous. */
export class AmbiguousNameError extends BerthError {
  declare readonly code: 'ambiguous_name';
}

/** Authorization denied. */
export class AuthorizationDeniedError extends BerthError {
  declare readonly code: 'authorization_denied';
}

/** Authorization pending. */
export class AuthorizationPendingError extends BerthError {
  declare readonly code: 'authorization_pending';
}

/** Body too large. */
export class BodyTooLargeError extends BerthError {
  declare readonly code: 'body_too_large';
}

/** Confirmation required. */
export class ConfirmationRequiredError extends BerthError {
  declare readonly code: 'confirmation_required';
}

/** CSRF check failed. */
export class CsrfFailedError extends BerthError {
  declare readonly code: 'csrf_failed';
}

/** Operation exceeded its deadline. */
export class DeadlineExceededError extends BerthError {
  declare readonly code: 'deadline_exceeded';
}

/** Invalid device code. */
export class DeviceCodeInvalidError extends BerthError {
  declare readonly code: 'device_code_invalid';
}

/** Disk was not deleted. */
export class DiskLeftError extends BerthError {
  declare readonly code: 'disk_left';
}

/** Drift is left. */
export class DriftLeftError extends BerthError {
  declare readonly code: 'drift_left';
}

/** Instance cannot be adopted. */
export class DriftNotAdoptableError extends BerthError {
  declare readonly code: 'drift_not_adoptable';
}

/** Drift record not found. */
export class DriftNotFoundError extends BerthError {
  declare readonly code: 'drift_not_found';
}

/** Drift cannot be repaired. */
export class DriftNotRepairableError extends BerthError {
  declare readonly code: 'drift_not_repairable';
}

/** Email address is taken. */
export class EmailTakenError extends BerthError {
  declare readonly code: 'email_taken';
}

/** Already exists in the engine. */
export class EngineAlreadyExistsError extends BerthError {
  declare readonly code: 'engine_already_exists';
}

/** Engine is busy. */
export class EngineBusyError extends BerthError {
  declare readonly code: 'engine_busy';
}

/** Engine could not evacuate the node. */
export class EngineEvacuateFailedError extends BerthError {
  declare readonly code: 'engine_evacuate_failed';
}

/** Engine failed. */
export class EngineFailedError extends BerthError {
  declare readonly code: 'engine_failed';
}

/** Engine denied the request. */
export class EngineForbiddenError extends BerthError {
  declare readonly code: 'engine_forbidden';
}

/** Engine rejected the request. */
export class EngineInvalidError extends BerthError {
  declare readonly code: 'engine_invalid';
}

/** Engine has no space left. */
export class EngineNoSpaceError extends BerthError {
  declare readonly code: 'engine_no_space';
}

/** Not found in the engine. */
export class EngineNotFoundError extends BerthError {
  declare readonly code: 'engine_not_found';
}

/** Engine could not restore the node. */
export class EngineRestoreFailedError extends BerthError {
  declare readonly code: 'engine_restore_failed';
}

/** Engine did not answer in time. */
export class EngineTimeoutError extends BerthError {
  declare readonly code: 'engine_timeout';
}

/** Engine is unreachable. */
export class EngineUnreachableError extends BerthError {
  declare readonly code: 'engine_unreachable';
}

/** Events are no longer kept. */
export class EventsGoneError extends BerthError {
  declare readonly code: 'events_gone';
}

/** Guest ignored the shutdown. */
export class GuestIgnoredShutdownError extends BerthError {
  declare readonly code: 'guest_ignored_shutdown';
}

/** Guest is paused. */
export class GuestPausedError extends BerthError {
  declare readonly code: 'guest_paused';
}

/** Guest replaced its report. */
export class GuestReportReplacedError extends BerthError {
  declare readonly code: 'guest_report_replaced';
}

/** Report of the guest is unreadable. */
export class GuestReportUnreadableError extends BerthError {
  declare readonly code: 'guest_report_unreadable';
}

/** Headers too large. */
export class HeadersTooLargeError extends BerthError {
  declare readonly code: 'headers_too_large';
}

/** First request with this key is in progress. */
export class IdempotencyInProgressError extends BerthError {
  declare readonly code: 'idempotency_in_progress';
}

/** Idempotency key used for another request. */
export class IdempotencyMismatchError extends BerthError {
  declare readonly code: 'idempotency_mismatch';
}

/** Image server is not allowed. */
export class ImageServerNotAllowedError extends BerthError {
  declare readonly code: 'image_server_not_allowed';
}

/** Image server is unreachable. */
export class ImageServerUnreachableError extends BerthError {
  declare readonly code: 'image_server_unreachable';
}

/** Guest could not be set up. */
export class InitialisationFailedError extends BerthError {
  declare readonly code: 'initialisation_failed';
}

/** Instance is missing. */
export class InstanceMissingError extends BerthError {
  declare readonly code: 'instance_missing';
}

/** Internal error. */
export class InternalError extends BerthError {
  declare readonly code: 'internal_error';
}

/** Invalid cursor. */
export class InvalidCursorError extends BerthError {
  declare readonly code: 'invalid_cursor';
}

/** Last owner of the project. */
export class LastOwnerError extends BerthError {
  declare readonly code: 'last_owner';
}

/** Location not found. */
export class LocationNotFoundError extends BerthError {
  declare readonly code: 'location_not_found';
}

/** Location is unreachable. */
export class LocationUnreachableError extends BerthError {
  declare readonly code: 'location_unreachable';
}

/** Malformed request. */
export class MalformedRequestError extends BerthError {
  declare readonly code: 'malformed_request';
}

/** Member not found. */
export class MemberNotFoundError extends BerthError {
  declare readonly code: 'member_not_found';
}

/** Memory is in use. */
export class MemoryInUseError extends BerthError {
  declare readonly code: 'memory_in_use';
}

/** Engine could not move the server. */
export class MigrationFailedError extends BerthError {
  declare readonly code: 'migration_failed';
}

/** Misdirected request. */
export class MisdirectedRequestError extends BerthError {
  declare readonly code: 'misdirected_request';
}

/** Name is taken. */
export class NameTakenError extends BerthError {
  declare readonly code: 'name_taken';
}

/** Not allowed from this network. */
export class NetworkNotAllowedError extends BerthError {
  declare readonly code: 'network_not_allowed';
}

/** No address left. */
export class NoAddressLeftError extends BerthError {
  declare readonly code: 'no_address_left';
}

/** No capacity left. */
export class NoCapacityError extends BerthError {
  declare readonly code: 'no_capacity';
}

/** Storage pool is full. */
export class NoSpaceError extends BerthError {
  declare readonly code: 'no_space';
}

/** Node is reachable. */
export class NodeAnswersError extends BerthError {
  declare readonly code: 'node_answers';
}

/** Node not found. */
export class NodeNotFoundError extends BerthError {
  declare readonly code: 'node_not_found';
}

/** Node is unreachable. */
export class NodeOfflineError extends BerthError {
  declare readonly code: 'node_offline';
}

/** Node is not a member of its cluster. */
export class NotAMemberError extends BerthError {
  declare readonly code: 'not_a_member';
}

/** Not acceptable. */
export class NotAcceptableError extends BerthError {
  declare readonly code: 'not_acceptable';
}

/** Operation can no longer be cancelled. */
export class NotCancellableError extends BerthError {
  declare readonly code: 'not_cancellable';
}

/** Node is not in a cluster. */
export class NotClusteredError extends BerthError {
  declare readonly code: 'not_clustered';
}

/** Not found. */
export class NotFoundError extends BerthError {
  declare readonly code: 'not_found';
}

/** Server was not paused. */
export class NotPausedError extends BerthError {
  declare readonly code: 'not_paused';
}

/** Server did not start. */
export class NotStartedError extends BerthError {
  declare readonly code: 'not_started';
}

/** Server was not unpaused. */
export class NotUnpausedError extends BerthError {
  declare readonly code: 'not_unpaused';
}

/** Operating system not found. */
export class OperatingSystemNotFoundError extends BerthError {
  declare readonly code: 'operating_system_not_found';
}

/** Operation was cancelled. */
export class OperationCancelledError extends BerthError {
  declare readonly code: 'operation_cancelled';
}

/** Operation has ended. */
export class OperationEndedError extends BerthError {
  declare readonly code: 'operation_ended';
}

/** Operation failed. */
export class OperationFailedError extends BerthError {
  declare readonly code: 'operation_failed';
}

/** Another operation is in progress. */
export class OperationInProgressError extends BerthError {
  declare readonly code: 'operation_in_progress';
}

/** Operation not found. */
export class OperationNotFoundError extends BerthError {
  declare readonly code: 'operation_not_found';
}

/** Operation was superseded. */
export class OperationSupersededError extends BerthError {
  declare readonly code: 'operation_superseded';
}

/** Output not found. */
export class OutputNotFoundError extends BerthError {
  declare readonly code: 'output_not_found';
}

/** Not possible for your own account. */
export class OwnAccountError extends BerthError {
  declare readonly code: 'own_account';
}

/** Owner of the project required. */
export class OwnerRequiredError extends BerthError {
  declare readonly code: 'owner_required';
}

/** Passkey not found. */
export class PasskeyNotFoundError extends BerthError {
  declare readonly code: 'passkey_not_found';
}

/** Password was not set. */
export class PasswordNotSetError extends BerthError {
  declare readonly code: 'password_not_set';
}

/** Password cannot be set now. */
export class PasswordNotSettableError extends BerthError {
  declare readonly code: 'password_not_settable';
}

/** Password may have been set. */
export class PasswordUnconfirmedError extends BerthError {
  declare readonly code: 'password_unconfirmed';
}

/** Session required. */
export class PersonRequiredError extends BerthError {
  declare readonly code: 'person_required';
}

/** Project is in use. */
export class ProjectInUseError extends BerthError {
  declare readonly code: 'project_in_use';
}

/** Project not found. */
export class ProjectNotFoundError extends BerthError {
  declare readonly code: 'project_not_found';
}

/** Server is protected. */
export class ProtectedError extends BerthError {
  declare readonly code: 'protected';
}

/** Reading took too long. */
export class QueryTimeoutError extends BerthError {
  declare readonly code: 'query_timeout';
}

/** Quota exceeded. */
export class QuotaExceededError extends BerthError {
  declare readonly code: 'quota_exceeded';
}

/** Too many requests. */
export class RateLimitedError extends BerthError {
  declare readonly code: 'rate_limited';
}

/** Name takes effect at the next start. */
export class RenameIncompleteError extends BerthError {
  declare readonly code: 'rename_incomplete';
}

/** Creation can no longer be retried. */
export class RetryExpiredError extends BerthError {
  declare readonly code: 'retry_expired';
}

/** Insufficient scope. */
export class ScopeMissingError extends BerthError {
  declare readonly code: 'scope_missing';
}

/** Password and initial commands are unreadable. */
export class SecretsUnreadableError extends BerthError {
  declare readonly code: 'secrets_unreadable';
}

/** Creation did not fail. */
export class ServerNotFailedError extends BerthError {
  declare readonly code: 'server_not_failed';
}

/** Server not found. */
export class ServerNotFoundError extends BerthError {
  declare readonly code: 'server_not_found';
}

/** Server cannot be moved. */
export class ServerNotMovableError extends BerthError {
  declare readonly code: 'server_not_movable';
}

/** Server is not paused. */
export class ServerNotPausedError extends BerthError {
  declare readonly code: 'server_not_paused';
}

/** Server cannot be renamed. */
export class ServerNotRenamableError extends BerthError {
  declare readonly code: 'server_not_renamable';
}

/** Server cannot be resized. */
export class ServerNotResizableError extends BerthError {
  declare readonly code: 'server_not_resizable';
}

/** Server is not running. */
export class ServerNotRunningError extends BerthError {
  declare readonly code: 'server_not_running';
}

/** Server is not stopped. */
export class ServerNotStoppedError extends BerthError {
  declare readonly code: 'server_not_stopped';
}

/** Server is not suspended. */
export class ServerNotSuspendedError extends BerthError {
  declare readonly code: 'server_not_suspended';
}

/** Server is already on the node. */
export class ServerOnNodeError extends BerthError {
  declare readonly code: 'server_on_node';
}

/** Servers are left on the node. */
export class ServersLeftError extends BerthError {
  declare readonly code: 'servers_left';
}

/** Session has ended. */
export class SessionEndedError extends BerthError {
  declare readonly code: 'session_ended';
}

/** Setup is closed. */
export class SetupClosedError extends BerthError {
  declare readonly code: 'setup_closed';
}

/** Sign-in failed. */
export class SignInFailedError extends BerthError {
  declare readonly code: 'sign_in_failed';
}

/** Size is in use. */
export class SizeInUseError extends BerthError {
  declare readonly code: 'size_in_use';
}

/** Size not found. */
export class SizeNotFoundError extends BerthError {
  declare readonly code: 'size_not_found';
}

/** SSH key already exists. */
export class SshKeyExistsError extends BerthError {
  declare readonly code: 'ssh_key_exists';
}

/** SSH key not found. */
export class SshKeyNotFoundError extends BerthError {
  declare readonly code: 'ssh_key_not_found';
}

/** Server is suspended. */
export class SuspendedError extends BerthError {
  declare readonly code: 'suspended';
}

/** Expired token. */
export class TokenExpiredError extends BerthError {
  declare readonly code: 'token_expired';
}

/** Unknown or revoked token. */
export class TokenInvalidError extends BerthError {
  declare readonly code: 'token_invalid';
}

/** Malformed token. */
export class TokenMalformedError extends BerthError {
  declare readonly code: 'token_malformed';
}

/** Authentication required. */
export class TokenMissingError extends BerthError {
  declare readonly code: 'token_missing';
}

/** Token not found. */
export class TokenNotFoundError extends BerthError {
  declare readonly code: 'token_not_found';
}

/** Too many consoles are open. */
export class TooManyConsolesError extends BerthError {
  declare readonly code: 'too_many_consoles';
}

/** Traffic allowance is used up. */
export class TrafficExceededError extends BerthError {
  declare readonly code: 'traffic_exceeded';
}

/** Temporarily unavailable. */
export class UnavailableError extends BerthError {
  declare readonly code: 'unavailable';
}

/** Operation belongs to another release. */
export class UnknownStepError extends BerthError {
  declare readonly code: 'unknown_step';
}

/** Unsupported media type. */
export class UnsupportedMediaTypeError extends BerthError {
  declare readonly code: 'unsupported_media_type';
}

/** User code not found. */
export class UserCodeNotFoundError extends BerthError {
  declare readonly code: 'user_code_not_found';
}

/** User not found. */
export class UserNotFoundError extends BerthError {
  declare readonly code: 'user_not_found';
}

/** Validation failed. */
export class ValidationFailedError extends BerthError {
  declare readonly code: 'validation_failed';
}

/** Delivery not found. */
export class WebhookDeliveryNotFoundError extends BerthError {
  declare readonly code: 'webhook_delivery_not_found';
}

/** Webhook not found. */
export class WebhookNotFoundError extends BerthError {
  declare readonly code: 'webhook_not_found';
}

/** The class of each code. */
export const classOfCode = {
  address_in_use: AddressInUseError,
  address_pool_in_use: AddressPoolInUseError,
  address_pool_not_found: AddressPoolNotFoundError,
  address_pool_overlaps: AddressPoolOverlapsError,
  already_member: AlreadyMemberError,
  ambiguous_name: AmbiguousNameError,
  authorization_denied: AuthorizationDeniedError,
  authorization_pending: AuthorizationPendingError,
  body_too_large: BodyTooLargeError,
  confirmation_required: ConfirmationRequiredError,
  csrf_failed: CsrfFailedError,
  deadline_exceeded: DeadlineExceededError,
  device_code_invalid: DeviceCodeInvalidError,
  disk_left: DiskLeftError,
  drift_left: DriftLeftError,
  drift_not_adoptable: DriftNotAdoptableError,
  drift_not_found: DriftNotFoundError,
  drift_not_repairable: DriftNotRepairableError,
  email_taken: EmailTakenError,
  engine_already_exists: EngineAlreadyExistsError,
  engine_busy: EngineBusyError,
  engine_evacuate_failed: EngineEvacuateFailedError,
  engine_failed: EngineFailedError,
  engine_forbidden: EngineForbiddenError,
  engine_invalid: EngineInvalidError,
  engine_no_space: EngineNoSpaceError,
  engine_not_found: EngineNotFoundError,
  engine_restore_failed: EngineRestoreFailedError,
  engine_timeout: EngineTimeoutError,
  engine_unreachable: EngineUnreachableError,
  events_gone: EventsGoneError,
  guest_ignored_shutdown: GuestIgnoredShutdownError,
  guest_paused: GuestPausedError,
  guest_report_replaced: GuestReportReplacedError,
  guest_report_unreadable: GuestReportUnreadableError,
  headers_too_large: HeadersTooLargeError,
  idempotency_in_progress: IdempotencyInProgressError,
  idempotency_mismatch: IdempotencyMismatchError,
  image_server_not_allowed: ImageServerNotAllowedError,
  image_server_unreachable: ImageServerUnreachableError,
  initialisation_failed: InitialisationFailedError,
  instance_missing: InstanceMissingError,
  internal_error: InternalError,
  invalid_cursor: InvalidCursorError,
  last_owner: LastOwnerError,
  location_not_found: LocationNotFoundError,
  location_unreachable: LocationUnreachableError,
  malformed_request: MalformedRequestError,
  member_not_found: MemberNotFoundError,
  memory_in_use: MemoryInUseError,
  migration_failed: MigrationFailedError,
  misdirected_request: MisdirectedRequestError,
  name_taken: NameTakenError,
  network_not_allowed: NetworkNotAllowedError,
  no_address_left: NoAddressLeftError,
  no_capacity: NoCapacityError,
  no_space: NoSpaceError,
  node_answers: NodeAnswersError,
  node_not_found: NodeNotFoundError,
  node_offline: NodeOfflineError,
  not_a_member: NotAMemberError,
  not_acceptable: NotAcceptableError,
  not_cancellable: NotCancellableError,
  not_clustered: NotClusteredError,
  not_found: NotFoundError,
  not_paused: NotPausedError,
  not_started: NotStartedError,
  not_unpaused: NotUnpausedError,
  operating_system_not_found: OperatingSystemNotFoundError,
  operation_cancelled: OperationCancelledError,
  operation_ended: OperationEndedError,
  operation_failed: OperationFailedError,
  operation_in_progress: OperationInProgressError,
  operation_not_found: OperationNotFoundError,
  operation_superseded: OperationSupersededError,
  output_not_found: OutputNotFoundError,
  own_account: OwnAccountError,
  owner_required: OwnerRequiredError,
  passkey_not_found: PasskeyNotFoundError,
  password_not_set: PasswordNotSetError,
  password_not_settable: PasswordNotSettableError,
  password_unconfirmed: PasswordUnconfirmedError,
  person_required: PersonRequiredError,
  project_in_use: ProjectInUseError,
  project_not_found: ProjectNotFoundError,
  protected: ProtectedError,
  query_timeout: QueryTimeoutError,
  quota_exceeded: QuotaExceededError,
  rate_limited: RateLimitedError,
  rename_incomplete: RenameIncompleteError,
  retry_expired: RetryExpiredError,
  scope_missing: ScopeMissingError,
  secrets_unreadable: SecretsUnreadableError,
  server_not_failed: ServerNotFailedError,
  server_not_found: ServerNotFoundError,
  server_not_movable: ServerNotMovableError,
  server_not_paused: ServerNotPausedError,
  server_not_renamable: ServerNotRenamableError,
  server_not_resizable: ServerNotResizableError,
  server_not_running: ServerNotRunningError,
  server_not_stopped: ServerNotStoppedError,
  server_not_suspended: ServerNotSuspendedError,
  server_on_node: ServerOnNodeError,
  servers_left: ServersLeftError,
  session_ended: SessionEndedError,
  setup_closed: SetupClosedError,
  sign_in_failed: SignInFailedError,
  size_in_use: SizeInUseError,
  size_not_found: SizeNotFoundError,
  ssh_key_exists: SshKeyExistsError,
  ssh_key_not_found: SshKeyNotFoundError,
  suspended: SuspendedError,
  token_expired: TokenExpiredError,
  token_invalid: TokenInvalidError,
  token_malformed: TokenMalformedError,
  token_missing: TokenMissingError,
  token_not_found: TokenNotFoundError,
  too_many_consoles: TooManyConsolesError,
  traffic_exceeded: TrafficExceededError,
  unavailable: UnavailableError,
  unknown_step: UnknownStepError,
  unsupported_media_type: UnsupportedMediaTypeError,
  user_code_not_found: UserCodeNotFoundError,
  user_not_found: UserNotFoundError,
  validation_failed: ValidationFailedError,
  webhook_delivery_not_found: WebhookDeliveryNotFoundError,
  webhook_not_found: WebhookNotFoundError,
};
