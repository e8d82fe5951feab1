import type { ServerCreate } from '@berth/contract/servers';
import { decodeUserData } from '../../guests/user-data.ts';
import type { FieldError } from '../../problems/problem.ts';

/** Why cloud-init could not use the user data of a request, beyond what its schema can express. */
export function userDataErrors({
  user_data: userData,
}: Pick<ServerCreate, 'user_data'>): FieldError[] {
  if (userData === undefined) return [];
  const decoded = decodeUserData(userData);
  return 'error' in decoded ? [{ pointer: '/user_data', detail: decoded.error }] : [];
}
