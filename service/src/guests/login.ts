import { directory, file, type GuestFile } from './files.ts';

/** How root can log in to a guest. */
export interface RootLogin {
  /** As in `/etc/shadow`. */
  passwordHash: string;
  /** Lines of `authorized_keys`. */
  authorizedKeys: string[];
  /** Whether the SSH server accepts passwords. */
  passwordLogin: boolean;
}

/** In place of a hash: no password is right, and the account is not locked, which would refuse keys, too (shadow(5)). */
export const noPassword = '*';

const folder = '/etc/ssh/sshd_config.d';

/** The settings of the SSH server of a guest. */
export function sshdSettings({ passwordLogin }: Pick<RootLogin, 'passwordLogin'>): string {
  const lines = passwordLogin
    ? ['PermitRootLogin yes', 'PasswordAuthentication yes']
    : [
        'PermitRootLogin prohibit-password',
        'PasswordAuthentication no',
        // Otherwise PAM asks for a password. Before OpenSSH 8.7, the second name is not the same as the first.
        'KbdInteractiveAuthentication no',
        'ChallengeResponseAuthentication no',
      ];
  return lines.join('\n');
}

/**
 * The files that must exist before the SSH server of a guest first starts, so that it never accepts a password. The
 * runner checks that the server reads them.
 */
export function sshdFiles({ passwordLogin }: Pick<RootLogin, 'passwordLogin'>): GuestFile[] {
  // The usual settings can come later: until the runner has set a password, none is right.
  if (passwordLogin) return [];
  return [
    directory('/etc/ssh', 0o755),
    directory(folder, 0o755),
    file(`${folder}/00-berth.conf`, 0o644, `${sshdSettings({ passwordLogin })}\n`),
  ];
}

/** The keys of root, for a guest in which cloud-init may add others to them. */
export function keyFiles({ authorizedKeys }: Pick<RootLogin, 'authorizedKeys'>): GuestFile[] {
  if (authorizedKeys.length === 0) return [];
  return [
    directory('/root/.ssh', 0o700),
    file('/root/.ssh/authorized_keys', 0o600, linesOf(authorizedKeys)),
  ];
}

/** The content of `authorized_keys`. */
export const linesOf = (keys: readonly string[]) => keys.map((key) => `${key}\n`).join('');
