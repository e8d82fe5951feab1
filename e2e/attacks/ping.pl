# Prints which of some addresses, IPv4 or IPv6, answer to an echo request over eth0 within two seconds.
use strict;
use warnings;
use Socket qw(:DEFAULT AF_INET6 inet_pton pack_sockaddr_in6);

my $seconds = 2;

# RFC 1071. Of ICMPv6 the kernel makes it.
sub checksum {
    my $sum = 0;
    $sum += $_ for unpack 'n*', $_[0];
    $sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16;
    return ~$sum & 0xffff;
}

open my $file, '<', '/sys/class/net/eth0/ifindex' or die "eth0: $!";
chomp(my $interface = <$file>);

for my $address (@ARGV) {
    my $is_ipv6 = $address =~ /:/;
    my ($family, $protocol, $request, $reply) = $is_ipv6 ? (AF_INET6, 58, 128, 129) : (AF_INET, 1, 8, 0);
    socket(my $socket, $family, SOCK_RAW, $protocol) or die "socket: $!";
    my $scope = $address =~ /^fe80:/ ? $interface : 0;
    my $to = $is_ipv6
      ? pack_sockaddr_in6(0, inet_pton(AF_INET6, $address), $scope)
      : pack_sockaddr_in(0, inet_aton($address));
    my $id = $$ & 0xffff;
    my $sum = $is_ipv6 ? 0 : checksum(pack 'CCnnn', $request, 0, 0, $id, 1);
    defined send($socket, pack('CCnnn', $request, 0, $sum, $id, 1), 0, $to) or next;
    my $end = time + $seconds;
    while ((my $left = $end - time) > 0) {
        my $ready = '';
        vec($ready, fileno($socket), 1) = 1;
        next unless select($ready, undef, undef, $left);
        defined recv($socket, my $packet, 1500, 0) or last;
        # Of IPv4 it begins with the header, whose length is in words.
        $packet = substr $packet, 4 * (ord($packet) & 15) unless $is_ipv6;
        my ($type, undef, undef, $of) = unpack 'CCnn', $packet;
        next unless $type == $reply && $of == $id;
        print "$address\n";
        last;
    }
}
