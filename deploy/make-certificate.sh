#!/bin/sh
# Make this machine's own certificate for https, or leave it when it still fits.
#
#   deploy/make-certificate.sh FOLDER
#
# FOLDER/authority.pem is what a phone may be told to trust; server.pem and server.key are served.
# The server's certificate is made anew when it is about to end or this machine has other addresses.
set -eu

folder=$1
days=397 # phones trust none that is valid for longer
umask 077
mkdir -p "$folder"
cd "$folder"

name=$(hostname)
names="DNS:$name.local,DNS:snake-eye.local,DNS:localhost,IP:127.0.0.1"
for address in $(hostname -I 2>/dev/null || true); do
    names="$names,IP:$address"
done

if [ -e server.pem ] && [ "$(cat names 2>/dev/null)" = "$names" ] &&
    openssl x509 -in server.pem -noout -checkend 2592000 >/dev/null; then
    exit 0
fi

if [ ! -e authority.key ]; then
    openssl ecparam -name prime256v1 -genkey -noout -out authority.key
    openssl req -x509 -new -sha256 -key authority.key -days 3650 -out authority.pem \
        -subj "/CN=Snake Eye on $name" -addext "basicConstraints=critical,CA:TRUE,pathlen:0" \
        -addext "keyUsage=critical,keyCertSign"
fi
openssl ecparam -name prime256v1 -genkey -noout -out server.key.new
openssl req -new -sha256 -key server.key.new -subj "/CN=$name.local" -out server.request
printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n' "$names" >extensions
openssl x509 -req -sha256 -in server.request -CA authority.pem -CAkey authority.key \
    -set_serial "0x$(openssl rand -hex 16)" -days "$days" -extfile extensions -out server.pem.new \
    2>/dev/null
mv server.key.new server.key
mv server.pem.new server.pem
printf '%s' "$names" >names
rm -f server.request extensions
