#!/bin/sh
# Make this machine's own certificate for https, or leave it when it still fits.
#
#   deploy/make-certificate.sh FOLDER [NAME...]
#
# FOLDER/authority.pem is what a phone may be told to trust; server.pem and server.key are served.
# NAME is a further name of this machine, as the host has set it on the page.
# The server's certificate is made anew when it is about to end or this machine has other addresses.
#
# The authority vouches for this machine's own names and for addresses at home, and for nothing
# else: a phone that trusts it, and somebody who steals its key, gain no other site. A certificate
# without an authority would bind as well, but Android installs none, and every phone would have to
# trust anew whenever the router gives out another address.
set -eu

folder=$1
shift
days=397 # phones trust none that is valid for longer
umask 077
mkdir -p "$folder"
cd "$folder"

name=$(hostname)
names="$name.local snake-eye.local localhost"
for further in "$@"; do
    # It goes into a file of settings: letters of a name only.
    case "$further" in
        *[!a-zA-Z0-9.-]* | '') echo "snake-eye: $further is no name of a machine" >&2; exit 1 ;;
    esac
    names="$names $further"
done

# Addresses that only a home has; one of the internet in the certificate would make it invalid.
served="IP:127.0.0.1"
for address in $(hostname -I 2>/dev/null || true); do
    case "$address" in
        10.* | 192.168.* | 169.254.* | 172.1[6-9].* | 172.2[0-9].* | 172.3[01].* | f[cd]*:* | fe[89ab]*:*)
            served="$served,IP:$address" ;;
    esac
done
bound="IP:127.0.0.0/255.0.0.0 IP:10.0.0.0/255.0.0.0 IP:172.16.0.0/255.240.0.0
    IP:192.168.0.0/255.255.0.0 IP:169.254.0.0/255.255.0.0
    IP:fc00:0:0:0:0:0:0:0/fe00:0:0:0:0:0:0:0 IP:fe80:0:0:0:0:0:0:0/ffc0:0:0:0:0:0:0:0"
for one in $names; do
    served="$served,DNS:$one"
    bound="$bound DNS:$one"
done
constraints=critical
for one in $bound; do constraints="$constraints,permitted;$one"; done

# An authority that is bound to nothing, or of before a new name, is replaced.
if [ ! -e authority.key ] || [ ! -e authority.pem ] || [ "$(cat bound 2>/dev/null)" != "$constraints" ]; then
    rm -f bound names
    openssl ecparam -name prime256v1 -genkey -noout -out authority.key
    openssl req -x509 -new -sha256 -key authority.key -days 3650 -out authority.pem \
        -subj "/CN=Snake Eye on $name" -addext "basicConstraints=critical,CA:TRUE,pathlen:0" \
        -addext "keyUsage=critical,keyCertSign" -addext "nameConstraints=$constraints"
    printf '%s' "$constraints" >bound
fi

if [ -e server.pem ] && [ "$(cat names 2>/dev/null)" = "$served" ] &&
    openssl x509 -in server.pem -noout -checkend 2592000 >/dev/null; then
    exit 0
fi

openssl ecparam -name prime256v1 -genkey -noout -out server.key.new
openssl req -new -sha256 -key server.key.new -subj "/CN=$name.local" -out server.request
printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n' "$served" >extensions
openssl x509 -req -sha256 -in server.request -CA authority.pem -CAkey authority.key \
    -set_serial "0x$(openssl rand -hex 16)" -days "$days" -extfile extensions -out server.pem.new \
    2>/dev/null
mv server.key.new server.key
mv server.pem.new server.pem
printf '%s' "$served" >names
rm -f server.request extensions
